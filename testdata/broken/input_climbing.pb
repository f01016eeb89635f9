Bxj
location	../secretp