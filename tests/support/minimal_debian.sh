# A minimal Debian 12 in a folder, made with debootstrap from this machine's archives; sourced by scripts that run as root.

# debian_archives: Debian 12's archives from this machine's apt sources, including updates, as lines of a sources.list.
debian_archives() {
  apt-get indextargets --format '$(CREATED_BY) $(ORIGIN) $(REPO_URI) $(RELEASE) $(COMPONENT)' |
    awk '$1 == "Packages" && $2 == "Debian" && $4 ~ /^bookworm/ && $5 == "main" {print "deb", $3, $4, $5}' |
    sort -u
}

# debian_mirror: the address of the first of them.
debian_mirror() {
  debian_archives | awk '$3 == "bookworm" {print $2; exit}'
}

# minimal_debian FOLDER LABEL: fills the empty FOLDER; messages start with LABEL.
minimal_debian() {
  local machine=$1 label=$2 archives mirror folder
  if ((EUID != 0)); then
    echo "error: debootstrap needs root" >&2
    return 2
  fi
  if ! command -v debootstrap >/dev/null; then
    echo "error: debootstrap is missing" >&2
    echo "hint: apt-get install debootstrap" >&2
    return 2
  fi
  archives=$(debian_archives)
  mirror=$(debian_mirror)
  if [[ -z "$mirror" ]]; then
    echo "error: the apt sources of this machine list no Debian 12 (bookworm) archive" >&2
    echo "hint: on a Debian 12 machine, run apt-get update first" >&2
    return 2
  fi

  echo "$label: debootstrap"
  debootstrap --variant=minbase --include=ca-certificates bookworm "$machine" "$mirror" >"$machine.log" 2>&1 || {
    tail -n 20 "$machine.log" >&2
    return 1
  }
  rm -f "$machine.log"

  echo "$archives" >"$machine/etc/apt/sources.list"
  for folder in /etc/apt/apt.conf.d /etc/apt/auth.conf.d; do
    # Only the settings for reaching the archives (proxies, certificates, dates), not those that packages installed.
    grep -lsE '^[[:space:]]*(Acquire::(http|https|Check|Retries)|machine )' "$folder"/* 2>/dev/null |
      xargs -r cp -t "$machine/$folder" || true
  done
  cp /etc/resolv.conf "$machine/etc/resolv.conf"
  cp /etc/hosts "$machine/etc/hosts"
  if [[ -s /etc/ssl/certs/ca-certificates.crt ]]; then
    cp /etc/ssl/certs/ca-certificates.crt "$machine/etc/ssl/certs/ca-certificates.crt"
  fi
}
