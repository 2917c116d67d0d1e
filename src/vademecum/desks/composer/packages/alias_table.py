"""The concepts, by subject. `deb` and `rpm` stand for all distributions of a family; a distribution's own entry comes before."""

from vademecum.desks.composer.packages.aliases import Concept, concept

# One concept a line, so that neighbours can be compared.
# fmt: off

_WEB = (
    concept("nginx", "engine x; nginx web server; nginx reverse proxy", deb="nginx", rpm="nginx", also="nginx-core nginx-light nginx-full nginx-mainline nginx-extras"),
    concept("apache", "apache http server; apache web server; httpd", deb="apache2", rpm="httpd", also="apache2-bin apache"),
    concept("web-server", "webserver; http server; https server; serves web pages; a server for web pages; web hosting", deb="nginx", rpm="nginx"),
    concept("reverse-proxy", "http proxy in front; edge proxy", deb="nginx", rpm="nginx"),
    concept("load-balancer", "haproxy; balances load", deb="haproxy", rpm="haproxy"),
    concept("caching-proxy", "squid; forward proxy; web cache", deb="squid", azl="-", emt="-", el="squid"),
    concept("caddy", "", deb="caddy", azl="-", emt="caddy", el="-"),
    concept("lighttpd", "small web server; lightweight web server", deb="lighttpd", azl="lighttpd", emt="-", el="-"),
    concept("php", "php fpm; php for web pages", deb="php-fpm", azl="php", emt="php", el="php-fpm", also="php8.2-fpm php8.3-fpm php8.4-fpm php-cli"),
)

_CONTAINERS = (
    concept("docker", "docker ce; docker engine; moby; docker runtime; docker daemon; docker containers; dockerd", deb="docker.io", azl="moby-engine docker-cli", emt="moby-engine docker-cli", el="podman-docker", also="docker-ce docker-engine moby docker-ce-cli"),
    concept("docker-compose", "compose; docker compose plugin", deb="docker-compose", ubuntu="docker-compose-v2", azl="docker-compose", emt="docker-compose", el="podman-compose", also="docker-compose-plugin"),
    concept("docker-buildx", "buildx", debian="docker-buildx", ubuntu="docker-buildx", elxr="-", azl="docker-buildx", emt="docker-buildx", el="-", also="docker-buildx-plugin"),
    concept("podman", "daemonless containers; rootless containers", deb="podman", azl="podman", emt="-", el="podman"),
    concept("containerd", "containerd runtime; cri runtime", deb="containerd", azl="containerd2", emt="containerd2", el="-", also="containerd.io moby-containerd"),
    concept("container-runtime", "container engine; run containers; runs containers; container host; container support; containers; oci runtime; containerisation; containerization", deb="docker.io", azl="moby-engine docker-cli", emt="moby-engine docker-cli", el="podman"),
    concept("container-tools", "build container images; buildah; skopeo", deb="buildah skopeo", azl="buildah skopeo", emt="-", el="buildah skopeo"),
    concept("kubernetes", "k8s; kubernetes node; kubelet; kubeadm; kubernetes cluster; container orchestration", deb="-", azl="kubernetes kubernetes-kubeadm kubernetes-client", emt="-", el="-", also="kubeadm kubelet microk8s"),
    concept("kubectl", "kubernetes client; kubernetes command line", debian="kubernetes-client", ubuntu="-", elxr="-", azl="kubernetes-client", emt="-", el="-"),
    concept("k3s", "light kubernetes; lightweight kubernetes; small kubernetes; rancher k3s", deb="-", azl="-", emt="k3s", el="-"),
    concept("helm", "helm charts; kubernetes package manager", deb="-", azl="helm", emt="helm", el="-"),
    concept("container-network", "cni; cni plugins; container networking plugins", deb="containernetworking-plugins", azl="cni-plugins", emt="cni-plugins", el="containernetworking-plugins"),
    concept("lxc", "linux containers; system containers", deb="lxc", rpm="-"),
)

_REMOTE = (
    concept("ssh-server", "ssh; sshd; openssh; ssh access; ssh daemon; remote shell; remote login; secure shell; log in remotely; remote access by ssh", deb="openssh-server", rpm="openssh-server", also="openssh dropbear-bin"),
    concept("ssh-client", "openssh client; ssh command; scp", deb="openssh-client", rpm="openssh-clients"),
    concept("small-ssh-server", "dropbear; lightweight ssh server", deb="dropbear-bin", rpm="-", also="dropbear"),
    concept("remote-desktop", "rdp; xrdp; remote screen", deb="xrdp", rpm="-"),
    concept("vnc-server", "vnc; tigervnc", deb="tigervnc-standalone-server", azl="-", emt="-", el="tigervnc-server"),
    concept("mosh", "mobile shell", deb="mosh", rpm="-"),
)

_TIME = (
    concept("time-sync", "ntp; ntp client; time synchronisation; time synchronization; clock synchronisation; clock synchronization; chrony; network time; exact time; keeps the clock right; time server; ntp server", deb="chrony", rpm="chrony", also="ntp ntpsec openntpd ntpdate systemd-timesyncd"),
    concept("precision-time", "ptp; ieee 1588; linuxptp; precision time protocol", deb="linuxptp", rpm="linuxptp", also="ptpd"),
    concept("gps", "gpsd; gnss receiver; satellite receiver; positioning", deb="gpsd", azl="-", emt="-", el="gpsd-minimal"),
)

_NETWORK = (
    concept("firewall", "packet filter; firewall rules; host firewall; nftables; nft", deb="nftables", azl="nftables", emt="nftables", el="firewalld"),
    concept("ufw", "uncomplicated firewall; simple firewall", debian="ufw", ubuntu="ufw", elxr="ufw", rpm="-"),
    concept("firewalld", "dynamic firewall; firewall zones", deb="firewalld", azl="firewalld", emt="firewalld", el="firewalld"),
    concept("iptables", "ip tables", deb="iptables", azl="iptables", emt="iptables", el="iptables-nft"),
    concept("network-manager", "networkmanager; nmcli; network connection manager", deb="network-manager", azl="-", emt="-", el="NetworkManager"),
    concept("netplan", "netplan network configuration", deb="netplan.io", azl="netplan", emt="netplan", el="-"),
    concept("wifi", "wi-fi; wireless; wlan; wireless lan; wireless network; wpa supplicant; wifi client; wireless networking", deb="wpasupplicant", azl="wpa_supplicant", emt="wpa_supplicant", el="wpa_supplicant", also="iwd"),
    concept("wifi-firmware", "iwlwifi; wireless firmware; firmware for wifi", debian="firmware-iwlwifi", ubuntu="linux-firmware", elxr="firmware-iwlwifi", azl="linux-firmware", emt="linux-firmware-iwlwifi", el="iwlwifi-dvm-firmware iwlwifi-mvm-firmware"),
    concept("access-point", "hostapd; wifi hotspot; wireless access point", deb="hostapd", rpm="-"),
    concept("bluetooth", "bluez; bluetooth stack; bluetooth support", deb="bluez", rpm="bluez"),
    concept("modem", "modemmanager; lte modem; 4g; 5g; mobile network; mobile broadband; cellular modem; lte; cellular", deb="modemmanager", azl="ModemManager", emt="ModemManager", el="ModemManager"),
    concept("vpn", "wireguard; wireguard vpn; virtual private network; private tunnel", deb="wireguard-tools", azl="wireguard-tools", emt="wireguard-tools", el="wireguard-tools", also="wireguard"),
    concept("openvpn", "", deb="openvpn", rpm="-"),
    concept("ipsec", "strongswan; libreswan; ikev2", deb="strongswan", azl="strongswan", emt="strongswan", el="libreswan"),
    concept("dns-server", "bind; bind9; name server; domain name server; named", deb="bind9", rpm="bind"),
    concept("dns-cache", "unbound; caching dns; dns resolver; recursive dns", deb="unbound", rpm="unbound"),
    concept("dnsmasq", "small dns and dhcp server", deb="dnsmasq", rpm="dnsmasq"),
    concept("dhcp-server", "dhcp daemon; kea; gives out addresses", deb="kea-dhcp4-server", azl="dhcp-server", emt="dhcp-server", el="kea", also="isc-dhcp-server"),
    concept("dns-tools", "dig; nslookup; dns utils; dnsutils", deb="bind9-dnsutils", rpm="bind-utils", also="dnsutils"),
    concept("routing", "frr; bgp; ospf; routing daemon; dynamic routing; frrouting; router", deb="frr", azl="frr", emt="-", el="frr", also="quagga bird bird2"),
    concept("high-availability", "keepalived; vrrp; failover address", deb="keepalived", rpm="keepalived"),
    concept("avahi", "mdns; zeroconf; bonjour; local discovery", deb="avahi-daemon", azl="avahi", emt="avahi", el="avahi"),
    concept("snmp", "snmp agent; snmpd", deb="snmpd", rpm="net-snmp"),
    concept("network-tools", "ifconfig; netstat; net tools", deb="net-tools", rpm="net-tools"),
    concept("iproute", "ip command; iproute2; traffic control", deb="iproute2", rpm="iproute"),
    concept("packet-capture", "tcpdump; sniffer; capture packets; packet sniffer; network capture", deb="tcpdump", rpm="tcpdump"),
    concept("wireshark", "tshark; network analyser; network analyzer", deb="tshark", azl="wireshark-cli", emt="-", el="wireshark-cli"),
    concept("port-scanner", "nmap; network scanner", deb="nmap", azl="nmap", emt="nmap", el="nmap"),
    concept("traceroute", "trace the route; mtr", deb="traceroute", rpm="traceroute", also="mtr mtr-tiny"),
    concept("network-benchmark", "iperf; iperf3; measure bandwidth; network throughput; bandwidth test", deb="iperf3", rpm="iperf3"),
    concept("ethtool", "network card settings", deb="ethtool", rpm="ethtool"),
    concept("netcat", "nc; ncat", deb="netcat-openbsd", azl="nmap-ncat", emt="nmap-ncat", el="nmap-ncat"),
    concept("ping", "iputils; icmp echo", deb="iputils-ping", rpm="iputils"),
)

_EDITORS = (
    concept("editor", "text editor; console editor; edit files", deb="nano", rpm="nano"),
    concept("vim", "vi; vi editor; vim editor", deb="vim", azl="vim", emt="vim", el="vim-enhanced", also="vim-nox vim-tiny"),
    concept("nano", "nano editor", deb="nano", rpm="nano"),
    concept("emacs", "emacs editor", deb="emacs-nox", azl="emacs", emt="emacs", el="emacs-nw"),
)

_LANGUAGES = (
    concept("python", "python3; python 3; python interpreter; python scripts", deb="python3", rpm="python3", also="python3-minimal"),
    concept("pip", "python pip; python package installer", deb="python3-pip", rpm="python3-pip"),
    concept("python-venv", "python virtual environments; venv; virtualenv", deb="python3-venv", rpm="python3", also="python3-virtualenv"),
    concept("nodejs", "node; node.js; node js; javascript runtime", deb="nodejs", rpm="nodejs", also="nodejs22 nodejs20"),
    concept("npm", "node package manager", deb="npm", azl="nodejs-npm", emt="nodejs-npm", el="nodejs-npm"),
    concept("go", "golang; go language; go compiler", deb="golang-go", rpm="golang", also="golang"),
    concept("rust", "rustc; cargo; rust compiler; rust language", deb="rustc cargo", azl="rust", emt="rust", el="rust cargo"),
    concept("java", "jre; java runtime; openjdk; jvm", deb="default-jre-headless", azl="msopenjdk-17", emt="-", el="java-21-openjdk-headless", also="default-jre"),
    concept("jdk", "java development kit; java compiler", deb="default-jdk-headless", azl="msopenjdk-17", emt="-", el="java-21-openjdk-devel", also="default-jdk"),
    concept("ruby", "ruby language", deb="ruby", rpm="ruby"),
    concept("perl", "perl language", deb="perl", rpm="perl"),
    concept("compiler", "gcc; c compiler; gnu compiler", deb="gcc", rpm="gcc"),
    concept("build-tools", "build essential; build-essential; development tools; compile programs; toolchain; make and gcc; development environment", deb="build-essential", azl="build-essential", emt="build-essential", el="gcc gcc-c++ make"),
    concept("cmake", "", deb="cmake", rpm="cmake"),
    concept("git", "version control; source control; revision control", deb="git", rpm="git"),
    concept("git-lfs", "git large files; large file storage", deb="git-lfs", rpm="git-lfs"),
    concept("debugger", "gdb; gnu debugger", deb="gdb", rpm="gdb"),
    concept("tracer", "strace; trace system calls", deb="strace", rpm="strace"),
    concept("opencv", "computer vision library", deb="python3-opencv", azl="opencv", emt="opencv", el="-", also="libopencv-dev"),
)

_TRANSFER = (
    concept("curl", "http client; download with curl", deb="curl", rpm="curl"),
    concept("wget", "downloader; download files", deb="wget", rpm="wget"),
    concept("rsync", "file synchronisation; file synchronization; copy folders", deb="rsync", rpm="rsync"),
    concept("certificates", "ca certificates; root certificates; trusted certificates; tls certificates", deb="ca-certificates", rpm="ca-certificates"),
    concept("openssl", "tls library; ssl tools", deb="openssl", rpm="openssl"),
    concept("gnupg", "gpg; pgp; encryption keys", deb="gnupg", rpm="gnupg2"),
)

_WATCHING = (
    concept("monitoring", "monitoring agent; metrics; node exporter; metrics agent; system monitoring; reports metrics; monitoring packages; prometheus exporter; telemetry; prometheus node exporter; observability", deb="prometheus-node-exporter", azl="prometheus-node-exporter", emt="telegraf", el="pcp", also="node-exporter node_exporter golang-github-prometheus-node-exporter"),
    concept("prometheus", "prometheus server; time series database for metrics", deb="prometheus", azl="prometheus", emt="prometheus", el="-"),
    concept("telegraf", "influx agent; influxdata agent", deb="-", azl="telegraf", emt="telegraf", el="-"),
    concept("collectd", "statistics daemon", deb="collectd", azl="collectd", emt="-", el="-"),
    concept("grafana", "dashboards; graphs of metrics", deb="-", azl="-", emt="-", el="grafana"),
    concept("htop", "process viewer; interactive process viewer; top", deb="htop", azl="htop", emt="htop", el="-"),
    concept("sysstat", "sar; iostat; system statistics; performance statistics", deb="sysstat", rpm="sysstat"),
    concept("watchdog", "hardware watchdog; watchdog daemon; restarts when it hangs; automatic recovery; reboot when it hangs", deb="watchdog", rpm="-", also="watchdogd"),
    concept("logging", "rsyslog; syslog; system log; log shipping; central logging; remote logging; syslog server", deb="rsyslog", rpm="rsyslog", also="syslog-ng"),
    concept("log-forwarder", "fluent bit; fluentbit; fluentd; forward logs; log collector; log forwarding", deb="-", azl="fluent-bit", emt="fluent-bit", el="-", also="fluent-bit filebeat td-agent-bit"),
    concept("log-rotation", "logrotate; rotate logs", deb="logrotate", rpm="logrotate"),
    concept("smart", "smartmontools; disk health; smartctl; smart monitoring", deb="smartmontools", rpm="smartmontools"),
    concept("sensors", "lm sensors; temperature sensors; hardware sensors; fan speed", deb="lm-sensors", azl="lm-sensors", emt="-", el="lm_sensors"),
)

_SECURITY = (
    concept("fail2ban", "ban intruders; brute force protection; block ssh attacks; ssh hardening", deb="fail2ban", rpm="-"),
    concept("audit", "auditd; audit daemon; audit log; auditing; linux audit", deb="auditd", azl="audit", emt="audit", el="audit"),
    concept("hardening", "security hardening; security packages; security tools; harden; hardened", debian="fail2ban auditd apparmor", ubuntu="fail2ban auditd apparmor", elxr="auditd apparmor", azl="audit aide", emt="audit", el="audit aide"),
    concept("intrusion-detection", "aide; file integrity; integrity checks; tripwire", deb="aide", azl="aide", emt="-", el="aide"),
    concept("apparmor", "app armor; mandatory access control", deb="apparmor", rpm="-", also="apparmor-utils"),
    concept("selinux", "security enhanced linux; selinux policy", deb="selinux-basics selinux-policy-default", azl="selinux-policy", emt="selinux-policy", el="selinux-policy-targeted"),
    concept("antivirus", "clamav; virus scanner; malware scanner", deb="clamav", azl="clamav", emt="-", el="-", also="clamav-daemon"),
    concept("rootkit-scanner", "rkhunter; chkrootkit", deb="rkhunter", rpm="-"),
    concept("security-audit", "lynis; openscap; compliance scanner; cis benchmark", deb="lynis", azl="-", emt="-", el="openscap-scanner scap-security-guide"),
    concept("usb-guard", "usbguard; forbid usb sticks; usb allow list", deb="usbguard", azl="-", emt="-", el="usbguard"),
    concept("tpm", "tpm tools; tpm2; trusted platform module; security chip", deb="tpm2-tools", rpm="tpm2-tools"),
    concept("disk-encryption", "cryptsetup; luks; encrypted disks", deb="cryptsetup", rpm="cryptsetup"),
    concept("automatic-updates", "unattended upgrades; unattended-upgrades; automatic security updates; updates by itself; self updating; auto updates", deb="unattended-upgrades", azl="dnf-automatic", emt="-", el="dnf-automatic"),
    concept("sudo", "administrator rights; run as root", deb="sudo", rpm="sudo"),
)

_DATA = (
    concept("database", "sql database; relational database; database server; postgresql; postgres; sql server; psql", deb="postgresql", azl="postgresql", emt="postgresql", el="postgresql-server", also="postgresql-16 postgresql-17"),
    concept("mariadb", "mysql compatible database; mysql", deb="mariadb-server", azl="mariadb-server", emt="mariadb-server", el="mariadb-server", also="mysql-server mysql default-mysql-server"),
    concept("sqlite", "sqlite3; embedded database; small database", deb="sqlite3", rpm="sqlite"),
    concept("redis", "valkey; key value store; in memory cache; cache server", deb="redis-server", azl="valkey", emt="valkey", el="valkey", also="redis"),
    concept("memcached", "memory cache daemon", deb="memcached", rpm="memcached"),
    concept("influxdb", "time series database", deb="influxdb", azl="influxdb", emt="influxdb", el="-"),
    concept("mqtt-broker", "mosquitto; mqtt; message broker; mqtt server; iot messages", deb="mosquitto", rpm="-"),
    concept("mqtt-client", "mosquitto clients; mqtt command line", deb="mosquitto-clients", azl="paho-mqtt-c", emt="paho-mqtt-c", el="-"),
    concept("message-queue", "rabbitmq; amqp; queue server", deb="rabbitmq-server", azl="rabbitmq-server", emt="-", el="-"),
    concept("file-server", "samba; smb; windows shares; cifs server; network drive; nas", deb="samba", azl="-", emt="-", el="samba"),
    concept("nfs-server", "network file system server; nfs exports", deb="nfs-kernel-server", rpm="nfs-utils"),
    concept("nfs-client", "nfs; mount nfs", deb="nfs-common", rpm="nfs-utils"),
    concept("cifs-client", "mount windows shares; cifs; cifs utils", deb="cifs-utils", rpm="cifs-utils"),
    concept("iscsi-target", "targetcli; iscsi; iscsi server", deb="targetcli-fb", azl="-", emt="-", el="targetcli"),
    concept("iscsi-client", "open iscsi; iscsi initiator", deb="open-iscsi", azl="iscsi-initiator-utils", emt="-", el="iscsi-initiator-utils"),
    concept("backup", "restic; borg; borgbackup; backups; backup tool; backup program", deb="restic", azl="rsync", emt="rsync", el="rsync", also="borgbackup"),
    concept("ftp-server", "ftp; vsftpd; file transfer server", deb="vsftpd", azl="-", emt="-", el="vsftpd"),
    concept("mail-server", "smtp; postfix; mail transfer agent; email server", deb="postfix", azl="postfix", emt="-", el="postfix", also="exim4 sendmail"),
    concept("print-server", "cups; printing; printer support", deb="cups", azl="cups", emt="-", el="cups"),
)

_DISKS = (
    concept("lvm", "lvm2; logical volumes; logical volume manager", deb="lvm2", rpm="lvm2"),
    concept("software-raid", "mdadm; raid; md raid", deb="mdadm", rpm="mdadm"),
    concept("partitioning", "parted; partition editor; partition tool", deb="parted", rpm="parted", also="fdisk gdisk gptfdisk"),
    concept("btrfs", "btrfs tools", deb="btrfs-progs", azl="btrfs-progs", emt="btrfs-progs", el="-"),
    concept("xfs", "xfs tools", deb="xfsprogs", rpm="xfsprogs"),
    concept("zfs", "openzfs; zfs utils", debian="zfsutils-linux", ubuntu="zfsutils-linux", elxr="-", rpm="-"),
    concept("fat", "dosfstools; vfat tools; fat tools", deb="dosfstools", rpm="dosfstools"),
    concept("ntfs", "ntfs 3g; windows file system", deb="ntfs-3g", rpm="-"),
    concept("nvme", "nvme cli; nvme tools", deb="nvme-cli", rpm="nvme-cli"),
    concept("growpart", "cloud growpart; grow partition; cloud guest utils", deb="cloud-guest-utils", rpm="cloud-utils-growpart"),
    concept("rescue", "testdisk; recover files; data recovery; ddrescue", deb="testdisk gddrescue", rpm="-"),
)

_MACHINES = (
    concept("cloud-init", "cloud initialisation; cloud initialization; cloud setup; cloudinit", deb="cloud-init", rpm="cloud-init"),
    concept("guest-agent", "qemu guest agent; vm guest agent; virtual machine agent", deb="qemu-guest-agent", azl="qemu-guest-agent", emt="qemu-guest-agent", el="qemu-guest-agent"),
    concept("vmware-tools", "open vm tools; vmware guest tools", deb="open-vm-tools", azl="open-vm-tools", emt="-", el="open-vm-tools"),
    concept("hyperv-tools", "hyper-v; hyper v guest services; hyperv daemons", debian="hyperv-daemons", ubuntu="linux-cloud-tools-virtual", elxr="hyperv-daemons", rpm="hyperv-daemons"),
    concept("virtualization", "kvm; qemu; virtual machines; hypervisor; virtualisation; vm host; run virtual machines; qemu kvm", deb="qemu-system-x86", rpm="qemu-kvm", also="qemu-kvm"),
    concept("libvirt", "libvirtd; virsh; virtual machine management", deb="libvirt-daemon-system", rpm="libvirt"),
    concept("virt-manager", "graphical virtual machine manager", deb="virt-manager", azl="-", emt="-", el="virt-install"),
    concept("ostree", "image based updates; versioned operating system", deb="ostree", azl="ostree", emt="-", el="ostree"),
    concept("rauc", "a/b updates; update with rollback", deb="rauc", rpm="-"),
    concept("ansible", "configuration management; automation by ansible", deb="ansible", azl="ansible", emt="-", el="ansible-core"),
    concept("snap", "snapd; snap packages", deb="snapd", rpm="-"),
    concept("flatpak", "flatpak applications", deb="flatpak", azl="-", emt="-", el="flatpak"),
    concept("dkms", "build kernel modules; dynamic kernel modules", deb="dkms", rpm="-"),
    concept("firmware", "linux firmware; device firmware; hardware firmware", debian="firmware-linux", ubuntu="linux-firmware", elxr="firmware-linux", rpm="linux-firmware"),
    concept("firmware-updates", "fwupd; update firmware", deb="fwupd", azl="-", emt="-", el="fwupd"),
)

_DEVICES = (
    concept("gpu-drivers", "graphics drivers; intel graphics; intel gpu; gpu support; graphics card drivers; gpu driver; video acceleration; hardware video decoding", deb="mesa-va-drivers mesa-vulkan-drivers intel-media-va-driver", azl="kernel-drivers-gpu", emt="kernel-drivers-gpu", el="mesa-dri-drivers mesa-vulkan-drivers", also="intel-media-driver intel-media-va-driver-non-free"),
    concept("opencl", "gpu compute; intel opencl; opencl runtime; compute runtime", deb="intel-opencl-icd", azl="-", emt="intel-compute-runtime", el="-"),
    concept("npu-driver", "intel npu; neural processor", deb="-", azl="-", emt="intel-npu-driver", el="-", also="intel-driver-compiler-npu intel-level-zero-npu intel-npu-firmware"),
    concept("nvidia", "nvidia drivers; nvidia gpu; nvidia graphics", debian="nvidia-driver", ubuntu="-", elxr="-", rpm="-"),
    concept("gpu-tools", "intel gpu tools; intel gpu top", deb="intel-gpu-tools", rpm="-"),
    concept("sound", "audio; alsa; speakers; sound support", deb="alsa-utils", rpm="alsa-utils"),
    concept("pipewire", "pipewire audio", deb="pipewire", azl="-", emt="-", el="pipewire"),
    concept("pulseaudio", "pulse audio", deb="pulseaudio", azl="-", emt="-", el="pipewire-pulseaudio"),
    concept("usb-tools", "lsusb; usb utils; usbutils", deb="usbutils", rpm="usbutils"),
    concept("pci-tools", "lspci; pci utils; pciutils", deb="pciutils", rpm="pciutils"),
    concept("i2c", "i2c tools; i2c bus", deb="i2c-tools", azl="i2c-tools", emt="i2c-tools", el="-"),
    concept("can-bus", "can utils; canbus; can; socketcan", deb="can-utils", rpm="-"),
    concept("gpio", "gpiod; general purpose pins; libgpiod", deb="gpiod", azl="-", emt="-", el="-", also="libgpiod-utils"),
    concept("serial-console", "minicom; picocom; serial terminal", deb="minicom", azl="-", emt="-", el="minicom", also="picocom"),
    concept("thermal", "thermald; cooling; temperature management", deb="thermald", azl="-", emt="-", el="thermald"),
    concept("power-saving", "powertop; tlp; battery life", deb="powertop", azl="powertop", emt="-", el="powertop"),
    concept("irqbalance", "interrupt balancing", deb="irqbalance", rpm="irqbalance"),
)

_SCREENS = (
    concept("desktop", "graphical desktop; gui; gnome; desktop environment; graphical interface; gnome desktop", debian="gnome-core", ubuntu="ubuntu-desktop-minimal", elxr="gnome-core", azl="-", emt="-", el="gnome-shell gdm"),
    concept("xfce", "xfce desktop; light desktop; lightweight desktop", deb="xfce4", rpm="-"),
    concept("kiosk", "cage; single application screen; kiosk mode", deb="cage", azl="-", emt="-", el="gnome-kiosk"),
    concept("wayland", "weston; wayland compositor", deb="weston", rpm="-"),
    concept("browser", "web browser; firefox", debian="firefox-esr", ubuntu="firefox", elxr="firefox-esr", azl="-", emt="-", el="firefox"),
    concept("chromium", "chromium browser; chrome", debian="chromium", ubuntu="chromium-browser", elxr="chromium", rpm="-"),
    concept("ffmpeg", "video conversion; transcoding; video codecs", deb="ffmpeg", azl="ffmpeg", emt="ffmpeg", el="-"),
    concept("gstreamer", "gstreamer tools; media pipelines; multimedia framework", deb="gstreamer1.0-tools", azl="gstreamer", emt="gstreamer1", el="gstreamer1", also="gstreamer1.0"),
    concept("video-player", "mpv; media player; vlc", deb="mpv", rpm="-", also="vlc"),
)

_SHELL = (
    concept("tmux", "terminal multiplexer", deb="tmux", rpm="tmux"),
    concept("screen", "gnu screen", deb="screen", rpm="-"),
    concept("bash-completion", "tab completion", deb="bash-completion", rpm="bash-completion"),
    concept("zsh", "z shell", deb="zsh", rpm="zsh"),
    concept("jq", "json tool; json processor", deb="jq", rpm="jq"),
    concept("zip", "zip archives", deb="zip", rpm="zip"),
    concept("unzip", "unpack zip archives", deb="unzip", rpm="unzip"),
    concept("less", "pager", deb="less", rpm="less"),
    concept("man-pages", "manual pages; man; man db", deb="man-db", rpm="man-db"),
    concept("cron", "scheduled jobs; crontab; cron daemon; job scheduler", deb="cron", rpm="cronie"),
    concept("open-files", "lsof; list open files", deb="lsof", rpm="lsof"),
    concept("process-tools", "procps; ps; process list", deb="procps", rpm="procps-ng"),
    concept("locales", "languages; locale data", deb="locales", rpm="glibc-langpack-en"),
    concept("disk-benchmark", "fio; measure disks", deb="fio", rpm="fio"),
    concept("stress-test", "stress ng; stress; burn in; load test", deb="stress-ng", rpm="stress-ng"),
    concept("systemd-networkd", "networkd", deb="systemd", azl="systemd-networkd", emt="systemd-networkd", el="-"),
    concept("systemd-resolved", "resolved; local dns resolver", deb="systemd-resolved", azl="systemd-resolved", emt="systemd-resolved", el="systemd-resolved"),
)

TABLE: tuple[Concept, ...] = (
    *_WEB,
    *_CONTAINERS,
    *_REMOTE,
    *_TIME,
    *_NETWORK,
    *_EDITORS,
    *_LANGUAGES,
    *_TRANSFER,
    *_WATCHING,
    *_SECURITY,
    *_DATA,
    *_DISKS,
    *_MACHINES,
    *_DEVICES,
    *_SCREENS,
    *_SHELL,
)
