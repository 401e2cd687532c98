root=$1 node=$2 app=$3 manifests=$4 volumes=$5 user=$6 group=$7 work=$8; shift 8
mount -t tmpfs tmpfs "$root"
cd "$root"
mkdir -p usr etc dev proc tmp node app manifests
for name in bin lib lib64; do
  if [ -L "/$name" ]; then cp -P "/$name" .; elif [ -d "/$name" ]; then mkdir "$name"; mount --bind -o ro "/$name" "$name"; fi
done
for name in usr etc; do mount --bind -o ro "/$name" "$name"; done
mount --bind -o ro "$app" app
mount --bind -o ro "$manifests" manifests
touch node/node && mount --bind -o ro "$node" node/node
mount --rbind /dev dev
mount -t proc proc proc
mount -t tmpfs -o mode=1777 tmpfs tmp
for name in "$volumes"/*; do [ -d "$name" ] && mkdir "${name##*/}" && mount --bind "$name" "${name##*/}"; done
mount -o remount,ro "$root"
exec chroot "$root" setpriv --reuid="$user" --regid="$group" --clear-groups --no-new-privs --inh-caps=-all --bounding-set=-all env -C "$work" "$@"
