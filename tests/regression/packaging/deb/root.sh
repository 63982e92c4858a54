# SPDX-License-Identifier: GPL-2.0-only
# For deb.sh, which sources it: the folder root, made in one of two ways with the package installed, and commands in it. They print to out.txt.
# shellcheck shell=bash
# in_root USER COMMAND...: with this machine's /proc and /dev, which only the command sees there, and nothing of the caller's environment.
in_root() {
  # shellcheck disable=SC2016  # expanded by the inner shells
  unshare -m bash -c 'root=$1 user=$2 home=$3; shift 3
    mount --rbind /proc "$root/proc" && mount --rbind /dev "$root/dev" || exit 99
    exec chroot --userspec="$user" "$root" /usr/bin/env -i PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin HOME="$home" TMPDIR=/tmp \
      LANG=C.UTF-8 TERM=dumb DEBIAN_FRONTEND=noninteractive OMPI_MCA_rmaps_base_oversubscribe=1 /bin/sh -c "cd && exec \"\$@\"" sh "$@"' \
    in_root "$work/root" "$@" > out.txt 2>&1 < /dev/null
}
other() { in_root 65534:65534 /home/other "$@"; }
as_root() { in_root 0:0 /root "$@"; }

# add_packages NAME...: those that are on this machine (bare), or that apt finds (debootstrap). The code is not 0 if one is not to be had.
add_packages() {
  local relation
  if [ "$kind" = bare ]; then
    printf -v relation '%s, ' "$@"
    python3 "$here/deb/bare_root.py" root "${relation%, }" > added.txt 2>&1
  else
    as_root apt-get -q install -y --no-install-recommends "$@"
  fi
}

make_root_bare() {
  local code
  # Only what each Debian has: dpkg refuses the package, and names what it needs.
  python3 "$here/deb/bare_root.py" root '' > added.txt || { fail 'a bare root'; end; }
  cp "$deb" root/heddle.deb
  as_root dpkg -i /heddle.deb && fail 'installed without what it depends on'
  grep -q 'heddle depends on openmpi-bin' out.txt || { fail 'what dpkg refuses'; cat out.txt; }
  python3 "$here/deb/bare_root.py" root "$(dpkg-deb -f "$deb" Depends)" > added.txt
  code=$?
  [ "$code" != 4 ] || { echo 'skipped: packages of Depends are not installed here'; exit 77; }
  [ "$code" = 0 ] || { fail 'packages of Depends'; end; }
  as_root dpkg -i /heddle.deb || { fail 'dpkg -i'; cat out.txt; end; }
  echo "root: $(du -sm root | cut -f 1) MiB of $(grep -c '^Package: ' root/var/lib/dpkg/status) packages"
}

make_root_debootstrap() {
  local site codename component began=$SECONDS
  command -v debootstrap > /dev/null || { echo 'skipped: no debootstrap here'; exit 77; }
  # shellcheck disable=SC2016  # apt's own variables
  read -r site codename component < <(apt-get indextargets --format '$(SITE) $(CODENAME) $(COMPONENT)' 'Created-By: Packages' |
    grep -vE -- '-(updates|security|backports) ')
  [ "${component:-}" = main ] || { echo 'skipped: apt of this machine knows no servers of Debian'; exit 77; }
  timeout 200 debootstrap --variant=minbase "$codename" root "$site" > debootstrap.log 2>&1 ||
    { echo "skipped: no Debian from $site: $(tail -1 debootstrap.log)"; exit 77; }
  cp /etc/resolv.conf root/etc/resolv.conf
  cp "$deb" root/heddle.deb
  as_root apt-get -q update || { echo "skipped: $(tail -1 out.txt)"; exit 77; }
  as_root apt-get -q install -y --no-install-recommends /heddle.deb || { fail 'apt-get install'; tail -20 out.txt; end; }
  echo "root: $codename of $(grep -c '^Package: ' root/var/lib/dpkg/status) packages in $((SECONDS - began)) s"
}
