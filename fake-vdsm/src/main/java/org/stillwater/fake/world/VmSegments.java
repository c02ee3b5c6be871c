package org.stillwater.fake.world;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a VM's report that stand still, encoded once. A report is these pieces with fresh
 * numbers in between, which makes answers about thousands of VMs cheap.
 *
 * @param guestKnown the state of the guest data they were made for
 * @param nicList the NICs they were made for
 * @param diskList the disks they were made for
 * @param head {@code vmId} to {@code acpiEnable}
 * @param beforeCpu {@code monitorResponse} to {@code pauseCode}
 * @param nics each NIC up to the value of {@code rx}
 * @param images the end of each disk
 * @param tuning {@code vcpuCount} and {@code ioTune}
 * @param display {@code displayInfo}, {@code hash}, {@code watchdogEvent}
 * @param guestHead {@code username} and {@code session}
 * @param guestDefaults {@code guestCPUCount} to {@code guestFQDN}
 * @param guestDetails the members that need an agent, from {@code netIfaces} on; {@code null}
 *     without
 */
@SuppressWarnings("ArrayRecordComponent") // never compared, never leaves the package
record VmSegments(
        boolean guestKnown,
        List<Nic> nicList,
        List<Disk> diskList,
        byte[] head,
        byte[] beforeCpu,
        byte[][] nics,
        byte[][] images,
        byte[] tuning,
        byte[] display,
        byte[] guestHead,
        byte[] guestDefaults,
        byte @Nullable [] guestDetails) {

    static VmSegments of(Domain domain, boolean guestKnown) {
        Machine machine = domain.machine;
        List<Nic> nicList = machine.nics;
        List<Disk> diskList = machine.disks;
        byte[][] nics = new byte[nicList.size()][];
        for (int i = 0; i < nics.length; i++) {
            nics[i] = nic(nicList.get(i), "vnet" + domain.tap(i));
        }
        byte[][] images = new byte[diskList.size()][];
        for (int i = 0; i < images.length; i++) {
            images[i] = image(diskList.get(i));
        }
        return new VmSegments(
                guestKnown,
                nicList,
                diskList,
                head(machine),
                beforeCpu(domain),
                nics,
                images,
                tuning(machine),
                display(domain),
                guestHead(domain),
                guestDefaults(domain, guestKnown),
                guestKnown ? guestDetails(machine) : null);
    }

    private static byte[] head(Machine machine) {
        return members(200)
                .name("vmId")
                .text(machine.idText)
                .name("vmName")
                .text(machine.name)
                .name("vmType")
                .text("kvm")
                .name("kvmEnable")
                .text("true")
                .name("acpiEnable")
                .text("true")
                .bytes();
    }

    private static byte[] beforeCpu(Domain domain) {
        JsonOut out =
                members(120)
                        .name("monitorResponse")
                        .text(domain.responsive ? "0" : "-1")
                        .name("clientIp")
                        .text(domain.clientAddress)
                        .name("timeOffset")
                        .numberText(domain.machine.timeOffsetSeconds);
        if (domain.pauseCode != null) {
            out.name("pauseCode").text(domain.pauseCode);
        }
        return out.bytes();
    }

    private static byte[] nic(Nic nic, String tap) {
        return members(200)
                .name(tap)
                .object()
                .name("macAddr")
                .text(nic.macText())
                .name("name")
                .text(tap)
                .name("speed")
                .numberText(nic.megabits())
                .name("state")
                .text("unknown")
                .name("rxErrors")
                .text("0")
                .name("rxDropped")
                .numberText(nic.dropped())
                .name("txErrors")
                .text("0")
                .name("txDropped")
                .text("0")
                .bytes();
    }

    private static byte[] image(Disk disk) {
        if (disk.lun() != null) {
            return members(60).name("lunGUID").text(disk.lun()).bytes();
        }
        return disk.image() == null
                ? new byte[0]
                : members(60).name("imageID").text(disk.image().toString()).bytes();
    }

    private static byte[] tuning(Machine machine) {
        JsonOut out = members(400).name("vcpuCount").numberText(machine.vcpus);
        if (machine.disks.stream().anyMatch(disk -> disk.iopsLimit() > 0)) {
            out.name("ioTune").array();
            for (Disk disk : machine.disks) {
                if (disk.iopsLimit() > 0) {
                    tuned(out, disk);
                }
            }
            out.endArray();
        }
        return out.bytes();
    }

    private static void tuned(JsonOut out, Disk disk) {
        out.object()
                .name("name")
                .text(disk.device())
                .name("path")
                .text(disk.path())
                .name("ioTune")
                .object();
        for (String limit : List.of("total_bytes_sec", "read_bytes_sec", "write_bytes_sec")) {
            out.name(limit).text("0");
        }
        out.name("total_iops_sec")
                .numberText(disk.iopsLimit())
                .name("read_iops_sec")
                .text("0")
                .name("write_iops_sec")
                .text("0")
                .endObject()
                .endObject();
    }

    private static byte[] display(Domain domain) {
        JsonOut out = members(250).name("displayInfo").array();
        if (!domain.isInitial()) {
            String address = domain.host.displayAddress();
            for (String kind : domain.machine.graphics) {
                if (kind.equals("vnc")) {
                    console(out, kind, domain.vncPort, 0, address);
                } else {
                    console(out, kind, domain.spicePort, domain.spicePort + 1, address);
                }
            }
        }
        out.endArray();
        if (!domain.isInitial()) {
            out.name("hash").numberText(domain.hash());
            if (domain.host.profile().atLeast(Profile.V4_40)) {
                if (domain.machine.nvram) {
                    out.name("nvramHash").text(domain.machine.nvramHash());
                }
                if (domain.machine.hasTpm()) {
                    out.name("tpmHash").text(domain.machine.tpmHash());
                }
            }
        }
        Domain.Watchdog watchdog = domain.watchdog;
        if (watchdog != null) {
            out.name("watchdogEvent")
                    .object()
                    .name("time")
                    .secondsFloat(watchdog.wallMillis())
                    .name("action")
                    .text(watchdog.action())
                    .endObject();
        }
        return out.bytes();
    }

    private static void console(
            JsonOut out, String type, int port, int securePort, String address) {
        out.object().name("type").text(type).name("port").numberText(port).name("tlsPort");
        if (securePort > 0) {
            out.numberText(securePort);
        } else {
            out.text("");
        }
        out.name("ipAddress").text(address).endObject();
    }

    private static byte[] guestHead(Domain domain) {
        boolean answers = domain.agent == Domain.Agent.ACTIVE;
        String user = domain.machine.userName;
        return members(60)
                .name("username")
                .text(answers && !user.isEmpty() ? user : "Unknown")
                .name("session")
                .text(answers ? domain.machine.session : "Unknown")
                .bytes();
    }

    private static byte[] guestDefaults(Domain domain, boolean guestKnown) {
        Machine machine = domain.machine;
        JsonOut out =
                members(300)
                        .name("guestCPUCount")
                        .number(guestKnown ? machine.vcpus : -1)
                        .name("appsList")
                        .array();
        if (domain.agentKnown) {
            machine.os.applications().forEach(out::text);
        }
        return out.endArray()
                .name("guestIPs")
                .text("")
                .name("guestFQDN")
                .text(domain.agentKnown ? machine.hostName() : "")
                .bytes();
    }

    private static byte[] guestDetails(Machine machine) {
        GuestOs os = machine.os;
        JsonOut out = members(1100).name("netIfaces").array();
        if (!os.isWindows()) {
            guestNic(out, "00:00:00:00:00:00", "127.0.0.1", "::1", "lo");
        }
        for (int i = 0; i < machine.nics.size(); i++) {
            Nic nic = machine.nics.get(i);
            guestNic(out, nic.macText(), nic.address(), nic.linkLocal(), os.interfaceName(i));
        }
        out.endArray()
                .name("guestName")
                .text(machine.hostName())
                .name("guestOs")
                .text(os.description())
                .name("guestOsInfo")
                .object()
                .name("type")
                .text(os.type())
                .name("arch")
                .text("x86_64")
                .name("kernel")
                .text(os.kernel())
                .name("distribution")
                .text(os.distribution())
                .name("version")
                .text(os.version())
                .name("codename")
                .text(os.codename())
                .endObject()
                .name("guestTimezone")
                .object()
                .name("offset")
                .number(timezoneOffset(os))
                .name("zone")
                .text(timezoneName(os))
                .endObject()
                .name("disksUsage")
                .array();
        fileSystems(out, machine);
        out.endArray();
        if (machine.nics.size() > 1 || os.isWindows()) {
            pciDevices(out, os);
        }
        return out.bytes();
    }

    static String timezoneName(GuestOs os) {
        return os.isWindows() ? "W. Europe Standard Time" : "UTC";
    }

    static int timezoneOffset(GuestOs os) {
        return os.isWindows() ? 120 : 0;
    }

    private static void guestNic(
            JsonOut out, String mac, String address, String address6, String name) {
        out.object().name("hw").text(mac).name("inet").array();
        if (!address.isEmpty()) {
            out.text(address);
        }
        out.endArray()
                .name("inet6")
                .array()
                .text(address6)
                .endArray()
                .name("name")
                .text(name)
                .endObject();
    }

    /** The entries of {@code disksUsage}. */
    static void fileSystems(JsonOut out, Machine machine) {
        boolean windows = machine.os.isWindows();
        int number = 0;
        for (Disk disk : machine.disks) {
            if (disk.isCd()) {
                continue;
            }
            long total = disk.capacityBytes() / 100 * 96;
            long used = Math.min(total, disk.allocatedBytes()) / 100 * 80;
            String path =
                    windows
                            ? (char) ('C' + number) + ":\\"
                            : number == 0 ? "/" : number == 1 ? "/var/lib/data" : "/srv/" + number;
            fileSystem(out, path, total, used, machine.os.fileSystem());
            if (number == 0 && !windows) {
                fileSystem(out, "/boot", 1_063_256_064L, 301_234_176L, "xfs");
            }
            number++;
        }
    }

    private static void fileSystem(JsonOut out, String path, long total, long used, String type) {
        out.object()
                .name("path")
                .text(path)
                .name("total")
                .numberText(total)
                .name("used")
                .numberText(used)
                .name("fs")
                .text(type)
                .endObject();
    }

    private static void pciDevices(JsonOut out, GuestOs os) {
        out.name("pci_devices").array();
        for (int device = 4161; device <= (os.isWindows() ? 4164 : 4162); device++) {
            out.object().name("device_id").number(device);
            if (os.isWindows()) {
                out.name("driver_date").text("2024-07-25");
            }
            out.name("driver_name").text(os.isWindows() ? "Red Hat VirtIO Driver" : "virtio-pci");
            if (os.isWindows()) {
                out.name("driver_version").text("100.95.104.26200");
            }
            out.name("vendor_id").number(6900).endObject();
        }
        out.endArray();
    }

    private static JsonOut members(int expectedBytes) {
        return new JsonOut(expectedBytes);
    }
}
