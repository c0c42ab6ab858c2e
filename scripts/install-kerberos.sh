#!/usr/bin/env bash
# Makes a realm and tickets possible in this checkout: Debian's KDC and clients, and the optional package kerberos, compiled from what npm
# installed with the headers of Node's stable interface from npm. Does nothing where all is there; says why it cannot (exit 3).
set -euo pipefail
cd "$(dirname "$0")/.."
PATH=$PATH:/usr/sbin
cannot() { echo "$1"; exit 3; }
usable() { node -e 'require("kerberos")' > /dev/null 2>&1; }

missing=()
command -v krb5kdc > /dev/null || missing+=(krb5-kdc)
command -v kadmin.local > /dev/null || missing+=(krb5-admin-server)
command -v kinit > /dev/null || missing+=(krb5-user)
command -v curl > /dev/null || missing+=(curl)
if ! usable; then
  [ -d node_modules/kerberos ] || cannot "the package kerberos is not installed: npm ci"
  [ -e /usr/include/gssapi/gssapi.h ] || missing+=(libkrb5-dev)
  command -v g++ > /dev/null || missing+=(g++)
fi
if [ ${#missing[@]} -gt 0 ]; then
  [ "$(id -u)" = 0 ] || cannot "installing ${missing[*]} needs root"
  command -v apt-get > /dev/null || cannot "${missing[*]} not installed, and there is no apt-get"
  export DEBIAN_FRONTEND=noninteractive
  install() { apt-get install -y -q --no-install-recommends -o DPkg::Lock::Timeout=100 "${missing[@]}"; }
  install > /dev/null 2>&1 || { apt-get update -q && install; } > /dev/null 2>&1 || cannot "apt-get could not install ${missing[*]}"
fi
usable && exit 0
cd node_modules/kerberos
mkdir -p build/Release
g++ -std=c++17 -O1 -w -fPIC -shared -fvisibility=hidden -DNAPI_VERSION=9 -DNODE_GYP_MODULE_NAME=kerberos -DKERBEROS_USE_RTLD=1 \
  -I../node-api-headers/include -I../node-addon-api \
  src/kerberos.cc src/unix/base64.cc src/unix/kerberos_gss.cc src/unix/kerberos_unix.cc -ldl -o build/Release/kerberos.node ||
  cannot "the package kerberos could not be compiled"
cd ../..
usable || cannot "the package kerberos was compiled and cannot be loaded"
