package org.stillwater.fake.world;

import java.util.Map;

/**
 * Writes the full definition of a VM as hosts up to 4.30 give it in lists (§6). Stateless; the
 * caller holds the monitor of the host.
 */
final class LegacyVmDefinition {

    private LegacyVmDefinition() {}

    static void write(JsonOut out, Domain domain, HostMoment moment) {
        Machine machine = domain.machine;
        out.object()
                .name("vmId")
                .text(machine.idText)
                .name("vmName")
                .text(machine.name)
                .name("status")
                .text(domain.status(moment.now()))
                .name("statusTime")
                .numberText(moment.stamp())
                .name("vmType")
                .text("kvm")
                .name("kvmEnable")
                .text("true")
                .name("acpiEnable")
                .text("true")
                .name("pid")
                .numberText(2000L + machine.serial)
                .name("memSize")
                .number(machine.memoryMib)
                .name("memGuaranteedSize")
                .number(machine.guaranteedMib)
                .name("smp")
                .numberText(machine.vcpus)
                .name("smpCoresPerSocket")
                .text("1")
                .name("smpThreadsPerCore")
                .text("1")
                .name("maxVCpus")
                .numberText(Math.max(16, machine.vcpus))
                .name("cpuType")
                .text("Cascadelake-Server")
                .name("emulatedMachine")
                .text("pc-i440fx-rhel7.3.0")
                .name("display")
                .text("vnc")
                .name("displayIp")
                .text(domain.host.displayAddress())
                .name("displayPort")
                .numberText(domain.vncPort)
                .name("displaySecurePort")
                .text("-1")
                .name("clientIp")
                .text(domain.clientAddress);
        if (domain.pauseCode != null) {
            out.name("pauseCode").text(domain.pauseCode);
        }
        out.name("timeOffset")
                .numberText(machine.timeOffsetSeconds)
                .name("nice")
                .text("0")
                .name("transparentHugePages")
                .text("true")
                .name("keyboardLayout")
                .text("en-us")
                .name("guestFQDN")
                .text(domain.agentKnown ? machine.hostName() : "")
                .name("guestIPs")
                .text(
                        domain.agentKnown && !machine.nics.isEmpty()
                                ? machine.nics.getFirst().address()
                                : "")
                .name("username")
                .text(machine.userName.isEmpty() ? "Unknown" : machine.userName)
                .name("custom")
                .value(Map.of())
                .name("devices")
                .array();
        int slot = 1;
        for (Disk disk : machine.disks) {
            disk(out, disk, slot++);
        }
        for (int i = 0; i < machine.nics.size(); i++) {
            nic(out, machine.nics.get(i), "vnet" + domain.tap(i), slot++);
        }
        out.object()
                .name("type")
                .text("graphics")
                .name("device")
                .text("vnc")
                .name("port")
                .numberText(domain.vncPort)
                .name("tlsPort")
                .text("-1")
                .name("deviceId")
                .text(Seeds.uuid(Seeds.of(machine.seed, "vnc")).toString())
                .name("specParams")
                .value(Map.of("displayNetwork", "ovirtmgmt"))
                .endObject()
                .endArray()
                .name("guestDiskMapping")
                .value(Map.of())
                .endObject();
    }

    private static void disk(JsonOut out, Disk disk, int slot) {
        out.object()
                .name("type")
                .text("disk")
                .name("device")
                .text(disk.isCd() ? "cdrom" : "disk")
                .name("iface")
                .text(disk.bus())
                .name("name")
                .text(disk.device())
                .name("alias")
                .text("ua-" + disk.deviceId())
                .name("deviceId")
                .text(disk.deviceId().toString());
        if (disk.image() != null) {
            out.name("imageID")
                    .text(disk.image().toString())
                    .name("volumeID")
                    .text(disk.volume().toString())
                    .name("domainID")
                    .text(disk.storage().toString())
                    .name("format")
                    .text("cow");
        }
        out.name("readonly")
                .text(disk.isCd() ? "True" : "False")
                .name("truesize")
                .numberText(disk.allocatedBytes())
                .name("apparentsize")
                .numberText(disk.capacityBytes())
                .name("specParams")
                .value(Map.of());
        address(out, slot);
    }

    private static void nic(JsonOut out, Nic nic, String tap, int slot) {
        out.object()
                .name("type")
                .text("interface")
                .name("device")
                .text("bridge")
                .name("nicModel")
                .text("pv")
                .name("macAddr")
                .text(nic.macText())
                .name("network")
                .text(nic.network())
                .name("name")
                .text(tap)
                .name("linkActive")
                .bool(true)
                .name("alias")
                .text("ua-" + nic.deviceId())
                .name("deviceId")
                .text(nic.deviceId().toString())
                .name("specParams")
                .value(Map.of());
        address(out, slot);
    }

    private static void address(JsonOut out, int slot) {
        out.name("address")
                .object()
                .name("type")
                .text("pci")
                .name("domain")
                .text("0x0000")
                .name("bus")
                .text("0x%02x".formatted(slot))
                .name("slot")
                .text("0x00")
                .name("function")
                .text("0x0")
                .endObject()
                .endObject();
    }
}
