#!/usr/bin/env bash
# What the clients of test/kerberos need, below node_modules/.cache/kerberos-clients: requests-kerberos from PyPI over Debian's binding, and Hadoop's
# client with MapReduce and its native library from Maven Central. Each is left out, with a line that says why, where its tools are missing. Done once.
set -uo pipefail
cd "$(dirname "$0")/.."
place=$PWD/node_modules/.cache/kerberos-clients
mkdir -p "$place"
python=/usr/bin/python3

apt() { DEBIAN_FRONTEND=noninteractive timeout 120 apt-get install -y -q --no-install-recommends -o DPkg::Lock::Timeout=100 "$@"; }
environment() {
  if ! { "$python" -c 'import kerberos, ensurepip' 2> /dev/null; }; then
    apt python3-kerberos python3-venv || { apt-get update -q && apt python3-kerberos python3-venv; } || return 1
  fi
  "$python" -m venv --system-site-packages "$place/python" || return 1
  # Later versions need gssapi and krb5, which are compiled for many minutes; this one works on what Debian has.
  timeout 120 "$place/python/bin/pip" install -q --disable-pip-version-check --only-binary :all: requests cryptography &&
    timeout 60 "$place/python/bin/pip" install -q --disable-pip-version-check --no-deps requests-kerberos==0.12.0 &&
    "$place/python/bin/python" -c 'import requests_kerberos'
}
if [ ! -e "$place/python/ready" ]; then
  rm -rf "$place/python"
  if environment > "$place/python.log" 2>&1; then touch "$place/python/ready"
  else echo "requests-kerberos is left out: $(tail -1 "$place/python.log")"; fi
fi

if [ ! -e "$place/hadoop.classpath" ]; then
  if ! command -v java > /dev/null || ! command -v mvn > /dev/null; then echo "Hadoop's Java client is left out: it needs java and mvn"
  elif ! timeout 120 mvn -q -B -f test/kerberos/java/pom.xml dependency:build-classpath -Dmdep.outputFile="$place/java.new" > "$place/java.log" 2>&1; then
    echo "Hadoop's Java client is left out: $(grep -m1 ERROR "$place/java.log")"
  else mv "$place/java.new" "$place/hadoop.classpath"; fi
fi
# Hadoop's own packages on Maven Central come without the native library; this one carries a build of it.
native() {
  mkdir -p "$place/native/lib/native"
  timeout 120 mvn -q -B dependency:copy -Dartifact=io.trino.hadoop:hadoop-apache:3.3.5-1 -DoutputDirectory="$place/native" &&
    unzip -q -o -j "$place/native/hadoop-apache-3.3.5-1.jar" "nativelib/Linux-$(uname -m | sed s/x86_64/amd64/)/libhadoop.so" -d "$place/native/lib/native" &&
    rm "$place/native/hadoop-apache-3.3.5-1.jar"
}
if [ ! -e "$place/native/lib/native/libhadoop.so" ]; then
  if ! command -v mvn > /dev/null || ! command -v unzip > /dev/null; then echo "Hadoop's native library is left out: it needs mvn and unzip"
  elif ! native > "$place/native.log" 2>&1; then echo "Hadoop's native library is left out: $(tail -1 "$place/native.log")"; fi
fi
exit 0
