package org.stillwater.fake.world;

import java.util.List;

/**
 * A guest's operating system, as VDSM reports it: for Windows it uses the agent's pretty name as
 * the codename and leaves kernel and distribution empty ({@code vdsm/virt/guestagenthelpers.py}).
 *
 * @param type {@code linux} or {@code windows}
 * @param interfacePrefix beginning of the guest's NIC names, before the number
 * @param firstInterface the number of the first NIC
 * @param applications packages or drivers
 * @param fileSystem type of the file systems
 */
record GuestOs(
        String type,
        String distribution,
        String version,
        String codename,
        String kernel,
        String interfacePrefix,
        int firstInterface,
        List<String> applications,
        String fileSystem) {

    private static final GuestOs WINDOWS_2022 =
            new GuestOs(
                    "windows",
                    "",
                    "10.0",
                    "Windows Server 2022 Standard",
                    "",
                    "Ethernet Instance ",
                    0,
                    List.of(
                            "QEMU guest agent-109.0.0",
                            "Virtio-win-driver-installer-0.1.262",
                            "Microsoft Edge-131.0.2903.112"),
                    "NTFS");

    private static final List<GuestOs> LINUX =
            List.of(
                    linux(
                            "Rocky Linux",
                            "9.4",
                            "Blue Onyx",
                            "5.14.0-427.13.1.el9_4.x86_64",
                            "eth",
                            0,
                            "qemu-guest-agent-8.2.0",
                            "xfs"),
                    linux(
                            "AlmaLinux",
                            "8.10",
                            "Cerulean Leopard",
                            "4.18.0-553.el8_10.x86_64",
                            "ens",
                            3,
                            "qemu-guest-agent-6.2.0",
                            "xfs"),
                    linux(
                            "Fedora Linux",
                            "40",
                            "Cloud Edition",
                            "6.8.9-300.fc40.x86_64",
                            "enp",
                            1,
                            "qemu-guest-agent-8.2.2",
                            "btrfs"),
                    linux(
                            "Debian GNU/Linux",
                            "12",
                            "bookworm",
                            "6.1.0-21-amd64",
                            "ens",
                            18,
                            "qemu-guest-agent-1:7.2+dfsg-7+deb12u5",
                            "ext4"));

    static GuestOs windows() {
        return WINDOWS_2022;
    }

    static GuestOs linux(int choice) {
        return LINUX.get(Math.floorMod(choice, LINUX.size()));
    }

    boolean isWindows() {
        return type.equals("windows");
    }

    String interfaceName(int index) {
        int number = firstInterface + index;
        return interfacePrefix.equals("enp")
                ? "enp%ds0".formatted(number)
                : interfacePrefix + number;
    }

    /** The text of {@code guestOs}. */
    String description() {
        return isWindows() ? codename : kernel;
    }

    private static GuestOs linux(
            String distribution,
            String version,
            String codename,
            String kernel,
            String interfacePrefix,
            int firstInterface,
            String agentPackage,
            String fileSystem) {
        return new GuestOs(
                "linux",
                distribution,
                version,
                codename,
                kernel,
                interfacePrefix,
                firstInterface,
                List.of("kernel-" + kernel, agentPackage),
                fileSystem);
    }
}
