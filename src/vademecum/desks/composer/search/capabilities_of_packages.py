"""Capabilities that packages provide. The patterns cover the package names of all distributions."""

from vademecum.desks.composer.search.capabilities import Capability, of_packages

_DOCKER = r"docker|docker\.io|docker-(?:ce|cli|engine|compose|buildx)(?:-.+)?|moby-(?:engine|cli)|docker-ce-rootless-extras"
_PODMAN = r"podman|podman-.+|buildah|skopeo"
_KUBERNETES = r"kube(?:let|adm|ctl)|kubernetes.*|k3s.*|microk8s|cri-tools|cri-o|rke2.*|helm|cluster-agent"

OF_PACKAGES: tuple[Capability, ...] = (
    Capability(
        "containers",
        "Runs containers",
        of_packages(rf"{_DOCKER}|{_PODMAN}|{_KUBERNETES}|containerd(?:\.io)?|lxc|nerdctl|runc|crun"),
    ),
    Capability(
        "docker",
        "Docker",
        of_packages(_DOCKER),
    ),
    Capability(
        "podman",
        "Podman",
        of_packages(_PODMAN),
    ),
    Capability(
        "kubernetes",
        "Kubernetes",
        of_packages(_KUBERNETES),
    ),
    Capability(
        "desktop",
        "A graphical desktop",
        of_packages(
            r"(?:ubuntu|kubuntu|xubuntu|lubuntu)-desktop.*|gnome-(?:shell|session|core|desktop)|gdm3?|kde-.+|plasma-.+|xfce4.*|lightdm|sddm|task-.*desktop|weston|cinnamon.*|mate-desktop.*|lxqt.*|lxde.*|xserver-xorg|xinit|openbox"
        ),
    ),
    Capability(
        "kiosk",
        "A screen that shows one application only (kiosk)",
        of_packages(r"cage|gnome-kiosk.*|ubuntu-frame|matchbox-window-manager"),
    ),
    Capability(
        "signage",
        "Shows pictures and films on a screen (digital signage)",
        of_packages(r"mpv|vlc|omxplayer|kodi|feh|info-beamer.*"),
    ),
    Capability(
        "browser",
        "A web browser",
        of_packages(r"firefox.*|chromium.*|google-chrome.*|epiphany-browser|falkon"),
    ),
    Capability(
        "robotics",
        "Robotics with ROS 2",
        of_packages(r"ros-.+|gz-.+|python3-colcon.+|python3-rosdep2?|ros2.*"),
    ),
    Capability(
        "navigation",
        "Maps and finds the way (SLAM)",
        of_packages(r"ros-.+-(?:slam-.+|navigation2|nav2-.+|collab-slam.*|cartographer.*|robotics-sdk)"),
    ),
    Capability(
        "simulation",
        "A physics simulator for robots (Gazebo)",
        of_packages(r"gz-.+|gazebo.*|ros-.+-gazebo.*|ros-.+-ros-gz.*|ignition-.+"),
    ),
    Capability(
        "robot-demo",
        "Robotics examples to learn from (turtlesim)",
        of_packages(r"ros-.+-(?:turtlesim|demo-nodes-.+|rqt.*)"),
    ),
    Capability(
        "depth-camera",
        "Depth cameras (RealSense)",
        of_packages(r"librealsense2.*|ros-.+-librealsense2|ros-.+-realsense.*"),
    ),
    Capability(
        "built-drivers",
        "Drivers that are compiled on the machine (DKMS)",
        of_packages(r"dkms|.+-dkms"),
    ),
    Capability(
        "video-analytics",
        "Analyses video with Deep Learning Streamer",
        of_packages(r"intel-dlstreamer.*|deepstream.*|gstreamer1\.0-opencv"),
    ),
    Capability(
        "inference",
        "Runs neural networks (OpenVINO)",
        of_packages(
            r"openvino.*|onnxruntime.*|libonnxruntime.*|tensorflow.*|.*pytorch.*|ros-.+-openvino.*|armnn.*|tflite.*"
        ),
    ),
    Capability(
        "npu",
        "Drivers for a neural processor (NPU)",
        of_packages(r".*-npu(?:-.*)?|intel-npu.*|intel-level-zero-npu"),
    ),
    Capability(
        "gpu-compute",
        "Computes on graphics cards (OpenCL, ROCm, Level Zero)",
        of_packages(
            r"intel-opencl.*|ocl-icd.*|rocm.*|rocminfo|hipcc|mesa-opencl.*|pocl.*|libze.*|intel-level-zero.*|intel-oneapi.*|clinfo|cuda.*"
        ),
    ),
    Capability(
        "graphics-drivers",
        "Intel graphics drivers",
        of_packages(
            r"intel-media-va-driver.*|mesa-.+|intel-gpu-tools|linux-firmware-i915|kernel-(?:rt-)?drivers-gpu.*|xserver-xorg-video-intel|firmware-intel-graphics|firmware-amd-graphics|libigdgmm.*"
        ),
    ),
    Capability(
        "media",
        "Plays, streams and converts video (GStreamer, ffmpeg)",
        of_packages(r"ffmpeg|gstreamer.*|libva\d?.*|vainfo|va-driver-all|libvpl.*|onevpl.*"),
    ),
    Capability(
        "virtualisation",
        "Runs virtual machines (KVM)",
        of_packages(
            r"qemu-(?:kvm|system.*)|libvirt-(?:daemon.*|clients)|virtinst|xen-.+|cloud-hypervisor|incus|lxd|firecracker"
        ),
    ),
    Capability(
        "virtual-desktop",
        "Virtual desktops with a graphical manager",
        of_packages(r"virt-manager|virt-viewer|spice-.+|gnome-boxes"),
    ),
    Capability(
        "guest",
        "Made to run as a virtual machine",
        of_packages(
            r"qemu-guest-agent|hyperv-daemons|open-vm-tools.*|cloud-guest-utils|dracut-(?:hyperv|virtio|xen)|linux-(?:image-)?virtual|virtualbox-guest.*|spice-vdagent"
        ),
    ),
    Capability(
        "cloud",
        "Set up by a cloud at its first start (cloud-init)",
        of_packages(
            r"cloud-init|ubuntu-cloud-minimal|ubuntu-server|cloud-initramfs.*|cloud-guest-utils|cloud-utils.*|linux-image-cloud-.+|amazon-.+|google-.*guest.*|walinuxagent"
        ),
    ),
    Capability(
        "selinux",
        "Mandatory access control with SELinux",
        of_packages(r"selinux-.+|policycoreutils.*|checkpolicy|setools.*|secilc"),
    ),
    Capability(
        "hardened",
        "Hardened, with auditing and integrity checks",
        of_packages(
            r"aide|auditd|audit|fail2ban|fapolicyd|usbguard|openscap.*|scap-.+|lynis|rkhunter|clamav.*|apparmor-.+|tripwire"
        ),
    ),
    Capability(
        "firewall",
        "A packet filter (firewall)",
        of_packages(r"nftables|ufw|firewalld|iptables.*|shorewall.*"),
    ),
    Capability(
        "router",
        "Routes between networks",
        of_packages(
            r"frr.*|bird2?|dnsmasq|hostapd|isc-dhcp-server|kea-.+|radvd|quagga.*|keepalived|unbound|bind9"
        ),
    ),
    Capability(
        "vpn",
        "A private tunnel (VPN)",
        of_packages(r"wireguard.*|openvpn.*|strongswan.*|libreswan|tailscale"),
    ),
    Capability(
        "web-server",
        "A web server",
        of_packages(r"nginx.*|apache2?|httpd|caddy|lighttpd|haproxy|php.*|tomcat.*|traefik"),
    ),
    Capability(
        "database",
        "A database server",
        of_packages(
            r"postgresql.*|mariadb.*|mysql.*|redis.*|mongodb.*|pgbackrest|timescaledb.*|influxdb.*|valkey.*"
        ),
    ),
    Capability(
        "monitoring",
        "Watches other machines (Prometheus)",
        of_packages(
            r"prometheus|prometheus-(?:alertmanager|.+-exporter)|grafana.*|zabbix.*|nagios.*|icinga.*|netdata|telegraf|collectd.*|checkmk.*"
        ),
    ),
    Capability(
        "reports-metrics",
        "Reports its own state to a monitoring server",
        of_packages(
            r"prometheus-node-exporter.*|node_exporter|telegraf|collectd.*|zabbix-agent.*|platform-(?:telemetry|observability)-agent|node-agent|metricbeat"
        ),
    ),
    Capability(
        "managed",
        "Managed from a central console by its agents",
        of_packages(
            r"(?:node|cluster|platform-.+|hardware-discovery|reporting)-agent|in-band-manageability|rpc(?:-go)?|lms|intel-lms|landscape-client"
        ),
    ),
    Capability(
        "logging",
        "Sends its logs elsewhere",
        of_packages(r"rsyslog.*|syslog-ng.*|fluent-bit|fluentd|systemd-journal-remote|filebeat|vector"),
    ),
    Capability(
        "mqtt",
        "An MQTT message broker",
        of_packages(r"mosquitto.*|paho-mqtt.*|python3-paho-mqtt|libpaho.*|emqx|nanomq"),
    ),
    Capability(
        "industrial",
        "Talks to machines and sensors (Modbus, CAN, GPIO)",
        of_packages(
            r"can-utils|libmodbus.*|mbpoll|python3-pymodbus|gpiod|i2c-tools|libgpiod.*|open62541.*|ethercat.*|linuxcnc.*"
        ),
    ),
    Capability(
        "watchdog",
        "Restarts by itself when it hangs (watchdog)",
        of_packages(r"watchdog|watchdogd"),
    ),
    Capability(
        "sensors",
        "For sensors, gateways and other devices in the field (IoT)",
        of_packages(r"mosquitto|can-utils|.*-agent|ostree.*|i2c-tools|gpiod|modemmanager"),
    ),
    Capability(
        "precise-time",
        "Keeps or serves exact time (NTP, PTP)",
        of_packages(r"chrony|ntpsec|ntp|linuxptp|pps-tools|gpsd.*|openntpd"),
    ),
    Capability(
        "satellite",
        "Reads a satellite receiver (GPS)",
        of_packages(r"gpsd.*|pps-tools"),
    ),
    Capability(
        "storage",
        "Serves files and disks to the network",
        of_packages(
            r"nfs-kernel-server|nfs-utils|targetcli.*|samba|zfsutils.*|ceph.*|glusterfs.*|nbd-server|mdadm|minidlna"
        ),
    ),
    Capability(
        "lvm",
        "Logical volumes and RAID",
        of_packages(r"lvm2|mdadm|multipath-tools"),
    ),
    Capability(
        "backup",
        "Makes backups",
        of_packages(r"borgbackup|restic|pgbackrest|bacula.*|rsnapshot|duplicity|amanda.*|rsync"),
    ),
    Capability(
        "rescue",
        "Rescues broken machines and lost data",
        of_packages(
            r"testdisk|gddrescue|fsarchiver|partclone|clonezilla|ntfs-3g|memtest86\+|foremost|photorec"
        ),
    ),
    Capability(
        "development",
        "Compiles programs",
        of_packages(
            r"build-essential|gcc(?:-\d+)?|g\+\+|clang(?:-\d+)?|cmake|golang(?:-go)?|rustc|cargo|ninja-build|default-jdk.*|autoconf|automake|gdb|nodejs"
        ),
    ),
    Capability(
        "continuous-integration",
        "Builds and tests software for others (CI runner)",
        of_packages(r"gitlab-runner|jenkins.*|ccache|github-runner.*|buildkite-agent"),
    ),
    Capability(
        "python",
        "Python for scripts",
        of_packages(r"python3-pip|python3-venv|pipx"),
    ),
    Capability(
        "coding-agent",
        "A programming assistant",
        of_packages(r"nodejs|npm"),
    ),
    Capability(
        "ostree",
        "Rolled back like a version control repository (OSTree)",
        of_packages(r"ostree.*|python3-apt-ostree|rpm-ostree.*|bootc"),
    ),
    Capability(
        "updates-slots",
        "Updates that can be taken back (RAUC and the like)",
        of_packages(r"rauc.*|mender.*|swupdate.*|os-update"),
    ),
    Capability(
        "self-updating",
        "Installs security updates by itself",
        of_packages(r"unattended-upgrades|dnf-automatic|needrestart|os-update"),
    ),
    Capability(
        "diagnostics",
        "Tools to look for faults",
        of_packages(
            r"strace|lsof|tcpdump|traceroute|mtr.*|gdb|perf|bpftrace|wireshark.*|iperf3?|ethtool|htop"
        ),
    ),
    Capability(
        "benchmarks",
        "Tests and benchmarks of hardware",
        of_packages(r"sysbench|stress-ng|fio|glmark2|rt-tests|phoronix.*|memtester"),
    ),
    Capability(
        "cooling",
        "Keeps a notebook cool and saves power",
        of_packages(r"thermald|intel-lpmd|powertop|tlp|linux-cpupower|auto-cpufreq"),
    ),
    Capability(
        "tpm",
        "Uses the security chip (TPM)",
        of_packages(r"tpm2-.+|tpm-.+|clevis.*|swtpm.*"),
    ),
    Capability(
        "wireless",
        "Wireless networks",
        of_packages(
            r"wpasupplicant|iwd|.*iwlwifi.*|wireless-regdb|wireless-tools|firmware-(?:iwlwifi|atheros|brcm80211|realtek)"
        ),
    ),
    Capability(
        "modem",
        "Mobile networks",
        of_packages(r"modemmanager|usb-modeswitch|libqmi.*|libmbim.*"),
    ),
    Capability(
        "bluetooth",
        "Bluetooth",
        of_packages(r"bluez.*"),
    ),
    Capability(
        "sound",
        "Plays sound",
        of_packages(r"pulseaudio.*|pipewire.*|alsa-utils"),
    ),
    Capability("printing", "Prints", of_packages(r"cups.*|printer-driver-.+")),
    Capability(
        "remote-shell",
        "Reached by SSH",
        of_packages(r"openssh-server|dropbear.*"),
    ),
    Capability(
        "snaps",
        "Snap packages",
        of_packages(r"snapd"),
    ),
    Capability(
        "handheld",
        "For handhelds and notebooks with Intel graphics",
        of_packages(r"intel-lpmd|gnome-software|ibus-table.*"),
    ),
)
