#!/usr/bin/env bash
# Installs an OCI runtime and what the tests of the OCI engine put in an image. Needs Debian's apt-get and root; says why it cannot.
set -e
missing=()
command -v runc > /dev/null || missing+=(runc)
command -v busybox > /dev/null || missing+=(busybox-static)
[ ${#missing[@]} -eq 0 ] && exit 0
[ "$(id -u)" = 0 ] || { echo "installing ${missing[*]} needs root"; exit 1; }
command -v apt-get > /dev/null || { echo "${missing[*]} not installed, and there is no apt-get"; exit 1; }
export DEBIAN_FRONTEND=noninteractive
install() { apt-get install -y -q --no-install-recommends -o DPkg::Lock::Timeout=100 "${missing[@]}"; }
install > /dev/null 2>&1 ||
  { apt-get update -q > /dev/null 2>&1 && install > /dev/null 2>&1; } ||
  { echo "apt-get could not install ${missing[*]}"; exit 1; }
