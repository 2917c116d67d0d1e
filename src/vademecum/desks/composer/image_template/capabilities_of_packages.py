"""Capabilities that packages provide. The patterns cover the package names of all distributions."""

_DOCKER = r"docker|docker\.io|docker-(?:ce|cli|engine|compose|buildx)(?:-.+)?|moby-(?:engine|cli)|docker-ce-rootless-extras"
_PODMAN = r"podman|podman-.+|buildah|skopeo"
_KUBERNETES = r"kube(?:let|adm|ctl)|kubernetes.*|k3s.*|microk8s|cri-tools|cri-o|rke2.*|helm|cluster-agent"

OF_PACKAGES: tuple[tuple[str, str, str], ...] = (
    (
        "containers",
        "Runs containers",
        rf"{_DOCKER}|{_PODMAN}|{_KUBERNETES}|containerd(?:\.io)?|lxc|nerdctl|runc|crun",
    ),
    ("docker", "Docker", (_DOCKER)),
    ("podman", "Podman", (_PODMAN)),
    ("kubernetes", "Kubernetes", (_KUBERNETES)),
    (
        "desktop",
        "A graphical desktop",
        r"(?:ubuntu|kubuntu|xubuntu|lubuntu)-desktop.*|gnome-(?:shell|session|core|desktop)|gdm3?|kde-.+|plasma-.+|xfce4.*|lightdm|sddm|task-.*desktop|weston|cinnamon.*|mate-desktop.*|lxqt.*|lxde.*|xserver-xorg|xinit|openbox",
    ),
    (
        "kiosk",
        "A screen that shows one application only (kiosk)",
        r"cage|gnome-kiosk.*|ubuntu-frame|matchbox-window-manager",
    ),
    (
        "signage",
        "Shows pictures and films on a screen (digital signage)",
        r"mpv|vlc|omxplayer|kodi|feh|info-beamer.*",
    ),
    ("browser", "A web browser", r"firefox.*|chromium.*|google-chrome.*|epiphany-browser|falkon"),
    ("robotics", "Robotics with ROS 2", r"ros-.+|gz-.+|python3-colcon.+|python3-rosdep2?|ros2.*"),
    (
        "navigation",
        "Maps and finds the way (SLAM)",
        r"ros-.+-(?:slam-.+|navigation2|nav2-.+|collab-slam.*|cartographer.*|robotics-sdk)",
    ),
    (
        "simulation",
        "A physics simulator for robots (Gazebo)",
        r"gz-.+|gazebo.*|ros-.+-gazebo.*|ros-.+-ros-gz.*|ignition-.+",
    ),
    (
        "robot-demo",
        "Robotics examples to learn from (turtlesim)",
        r"ros-.+-(?:turtlesim|demo-nodes-.+|rqt.*)",
    ),
    ("depth-camera", "Depth cameras (RealSense)", r"librealsense2.*|ros-.+-librealsense2|ros-.+-realsense.*"),
    ("built-drivers", "Drivers that are compiled on the machine (DKMS)", r"dkms|.+-dkms"),
    (
        "video-analytics",
        "Analyses video with Deep Learning Streamer",
        r"intel-dlstreamer.*|deepstream.*|gstreamer1\.0-opencv",
    ),
    (
        "inference",
        "Runs neural networks (OpenVINO)",
        r"openvino.*|onnxruntime.*|libonnxruntime.*|tensorflow.*|.*pytorch.*|ros-.+-openvino.*|armnn.*|tflite.*",
    ),
    ("npu", "Drivers for a neural processor (NPU)", r".*-npu(?:-.*)?|intel-npu.*|intel-level-zero-npu"),
    (
        "gpu-compute",
        "Computes on graphics cards (OpenCL, ROCm, Level Zero)",
        r"intel-opencl.*|ocl-icd.*|rocm.*|rocminfo|hipcc|mesa-opencl.*|pocl.*|libze.*|intel-level-zero.*|intel-oneapi.*|clinfo|cuda.*",
    ),
    (
        "graphics-drivers",
        "Intel graphics drivers",
        r"intel-media-va-driver.*|mesa-.+|intel-gpu-tools|linux-firmware-i915|kernel-(?:rt-)?drivers-gpu.*|xserver-xorg-video-intel|firmware-intel-graphics|firmware-amd-graphics|libigdgmm.*",
    ),
    (
        "media",
        "Plays, streams and converts video (GStreamer, ffmpeg)",
        r"ffmpeg|gstreamer.*|libva\d?.*|vainfo|va-driver-all|libvpl.*|onevpl.*",
    ),
    (
        "virtualisation",
        "Runs virtual machines (KVM)",
        r"qemu-(?:kvm|system.*)|libvirt-(?:daemon.*|clients)|virtinst|xen-.+|cloud-hypervisor|incus|lxd|firecracker",
    ),
    (
        "virtual-desktop",
        "Virtual desktops with a graphical manager",
        r"virt-manager|virt-viewer|spice-.+|gnome-boxes",
    ),
    (
        "guest",
        "Made to run as a virtual machine",
        r"qemu-guest-agent|hyperv-daemons|open-vm-tools.*|cloud-guest-utils|dracut-(?:hyperv|virtio|xen)|linux-(?:image-)?virtual|virtualbox-guest.*|spice-vdagent",
    ),
    (
        "cloud",
        "Set up by a cloud at its first start (cloud-init)",
        r"cloud-init|ubuntu-cloud-minimal|ubuntu-server|cloud-initramfs.*|cloud-guest-utils|cloud-utils.*|linux-image-cloud-.+|amazon-.+|google-.*guest.*|walinuxagent",
    ),
    (
        "selinux",
        "Mandatory access control with SELinux",
        r"selinux-.+|policycoreutils.*|checkpolicy|setools.*|secilc",
    ),
    (
        "hardened",
        "Hardened, with auditing and integrity checks",
        r"aide|auditd|audit|fail2ban|fapolicyd|usbguard|openscap.*|scap-.+|lynis|rkhunter|clamav.*|apparmor-.+|tripwire",
    ),
    ("firewall", "A packet filter (firewall)", r"nftables|ufw|firewalld|iptables.*|shorewall.*"),
    (
        "router",
        "Routes between networks",
        r"frr.*|bird2?|dnsmasq|hostapd|isc-dhcp-server|kea-.+|radvd|quagga.*|keepalived|unbound|bind9",
    ),
    ("vpn", "A private tunnel (VPN)", r"wireguard.*|openvpn.*|strongswan.*|libreswan|tailscale"),
    ("web-server", "A web server", r"nginx.*|apache2?|httpd|caddy|lighttpd|haproxy|php.*|tomcat.*|traefik"),
    (
        "database",
        "A database server",
        r"postgresql.*|mariadb.*|mysql.*|redis.*|mongodb.*|pgbackrest|timescaledb.*|influxdb.*|valkey.*",
    ),
    (
        "monitoring",
        "Watches other machines (Prometheus)",
        r"prometheus|prometheus-(?:alertmanager|.+-exporter)|grafana.*|zabbix.*|nagios.*|icinga.*|netdata|telegraf|collectd.*|checkmk.*",
    ),
    (
        "reports-metrics",
        "Reports its own state to a monitoring server",
        r"prometheus-node-exporter.*|node_exporter|telegraf|collectd.*|zabbix-agent.*|platform-(?:telemetry|observability)-agent|node-agent|metricbeat",
    ),
    (
        "managed",
        "Managed from a central console by its agents",
        r"(?:node|cluster|platform-.+|hardware-discovery|reporting)-agent|in-band-manageability|rpc(?:-go)?|lms|intel-lms|landscape-client",
    ),
    (
        "logging",
        "Sends its logs elsewhere",
        r"rsyslog.*|syslog-ng.*|fluent-bit|fluentd|systemd-journal-remote|filebeat|vector",
    ),
    ("mqtt", "An MQTT message broker", r"mosquitto.*|paho-mqtt.*|python3-paho-mqtt|libpaho.*|emqx|nanomq"),
    (
        "industrial",
        "Talks to machines and sensors (Modbus, CAN, GPIO)",
        r"can-utils|libmodbus.*|mbpoll|python3-pymodbus|gpiod|i2c-tools|libgpiod.*|open62541.*|ethercat.*|linuxcnc.*",
    ),
    ("watchdog", "Restarts by itself when it hangs (watchdog)", r"watchdog|watchdogd"),
    (
        "sensors",
        "For sensors, gateways and other devices in the field (IoT)",
        r"mosquitto|can-utils|.*-agent|ostree.*|i2c-tools|gpiod|modemmanager",
    ),
    (
        "precise-time",
        "Keeps or serves exact time (NTP, PTP)",
        r"chrony|ntpsec|ntp|linuxptp|pps-tools|gpsd.*|openntpd",
    ),
    ("satellite", "Reads a satellite receiver (GPS)", r"gpsd.*|pps-tools"),
    (
        "storage",
        "Serves files and disks to the network",
        r"nfs-kernel-server|nfs-utils|targetcli.*|samba|zfsutils.*|ceph.*|glusterfs.*|nbd-server|mdadm|minidlna",
    ),
    ("lvm", "Logical volumes and RAID", r"lvm2|mdadm|multipath-tools"),
    ("backup", "Makes backups", r"borgbackup|restic|pgbackrest|bacula.*|rsnapshot|duplicity|amanda.*|rsync"),
    (
        "rescue",
        "Rescues broken machines and lost data",
        r"testdisk|gddrescue|fsarchiver|partclone|clonezilla|ntfs-3g|memtest86\+|foremost|photorec",
    ),
    (
        "development",
        "Compiles programs",
        r"build-essential|gcc(?:-\d+)?|g\+\+|clang(?:-\d+)?|cmake|golang(?:-go)?|rustc|cargo|ninja-build|default-jdk.*|autoconf|automake|gdb|nodejs",
    ),
    (
        "continuous-integration",
        "Builds and tests software for others (CI runner)",
        r"gitlab-runner|jenkins.*|ccache|github-runner.*|buildkite-agent",
    ),
    ("python", "Python for scripts", r"python3-pip|python3-venv|pipx"),
    ("coding-agent", "A programming assistant", r"nodejs|npm"),
    (
        "ostree",
        "Rolled back like a version control repository (OSTree)",
        r"ostree.*|python3-apt-ostree|rpm-ostree.*|bootc",
    ),
    (
        "updates-slots",
        "Updates that can be taken back (RAUC and the like)",
        r"rauc.*|mender.*|swupdate.*|os-update",
    ),
    (
        "self-updating",
        "Installs security updates by itself",
        r"unattended-upgrades|dnf-automatic|needrestart|os-update",
    ),
    (
        "diagnostics",
        "Tools to look for faults",
        r"strace|lsof|tcpdump|traceroute|mtr.*|gdb|perf|bpftrace|wireshark.*|iperf3?|ethtool|htop",
    ),
    (
        "benchmarks",
        "Tests and benchmarks of hardware",
        r"sysbench|stress-ng|fio|glmark2|rt-tests|phoronix.*|memtester",
    ),
    (
        "cooling",
        "Keeps a notebook cool and saves power",
        r"thermald|intel-lpmd|powertop|tlp|linux-cpupower|auto-cpufreq",
    ),
    ("tpm", "Uses the security chip (TPM)", r"tpm2-.+|tpm-.+|clevis.*|swtpm.*"),
    (
        "wireless",
        "Wireless networks",
        r"wpasupplicant|iwd|.*iwlwifi.*|wireless-regdb|wireless-tools|firmware-(?:iwlwifi|atheros|brcm80211|realtek)",
    ),
    ("modem", "Mobile networks", r"modemmanager|usb-modeswitch|libqmi.*|libmbim.*"),
    ("bluetooth", "Bluetooth", r"bluez.*"),
    ("sound", "Plays sound", r"pulseaudio.*|pipewire.*|alsa-utils"),
    ("printing", "Prints", r"cups.*|printer-driver-.+"),
    ("remote-shell", "Reached by SSH", r"openssh-server|dropbear.*"),
    ("snaps", "Snap packages", r"snapd"),
    (
        "handheld",
        "For handhelds and notebooks with Intel graphics",
        r"intel-lpmd|gnome-software|ibus-table.*",
    ),
)
"""The name of each capability, what it is, and the packages of which one provides it."""
