package org.stillwater.fake.world;

/**
 * Writes the libvirt domain of a VM for {@code Host.dumpxmls}: the result of {@link
 * DefinedDomainXml} for its definition, or a made-up one for a VM without a definition. Its devices
 * are those of the VM's report. Stateless; the caller holds the monitor of the host.
 */
final class DomainXml {

    private static final int MAX_MEMORY_FACTOR = 4;
    private static final int MAX_VCPUS = 16;

    private DomainXml() {}

    static String of(Domain domain) {
        Machine machine = domain.machine;
        XmlElement definition = machine.definition;
        if (definition != null) {
            return DefinedDomainXml.of(domain, definition);
        }
        StringBuilder xml = new StringBuilder(6144);
        xml.append(
                """
                <domain type='kvm' id='%d' xmlns:qemu='http://libvirt.org/schemas/domain/qemu/1.0'>
                  <name>%s</name>
                  <uuid>%s</uuid>
                """
                        .formatted(machine.serial + 1, escaped(machine.name), machine.idText));
        metadata(xml, domain);
        int vcpuLimit = Math.max(MAX_VCPUS, machine.vcpus);
        xml.append(
                """
                  <maxMemory slots='16' unit='KiB'>%d</maxMemory>
                  <memory unit='KiB'>%d</memory>
                  <currentMemory unit='KiB'>%d</currentMemory>
                  <vcpu placement='static' current='%d'>%d</vcpu>
                  <os>
                    <type arch='x86_64' machine='pc-q35-rhel9.4.0'>hvm</type>
                %s  </os>
                  <features>
                    <acpi/>
                  </features>
                  <cpu mode='custom' match='exact' check='full'>
                    <model fallback='forbid'>Cascadelake-Server</model>
                    <topology sockets='%d' dies='1' cores='1' threads='1'/>
                  </cpu>
                  <on_poweroff>destroy</on_poweroff>
                  <on_reboot>restart</on_reboot>
                  <on_crash>destroy</on_crash>
                  <devices>
                    <emulator>/usr/libexec/qemu-kvm</emulator>
                """
                        .formatted(
                                machine.memoryKib() * MAX_MEMORY_FACTOR,
                                machine.memoryKib(),
                                machine.memoryKib(),
                                machine.vcpus,
                                vcpuLimit,
                                firmware(machine),
                                vcpuLimit));
        int boot = 1;
        int slot = 4;
        for (Disk disk : machine.disks) {
            if (disk.isCd()) {
                cd(xml, disk);
            } else {
                disk(xml, disk, boot++, slot++);
            }
        }
        controllers(xml, machine);
        for (int i = 0; i < machine.nics.size(); i++) {
            nic(xml, machine.nics.get(i), domain.tap(i), slot++);
        }
        channel(xml, domain);
        graphics(xml, domain);
        rest(xml, machine);
        return xml.append("  </devices>\n</domain>\n").toString();
    }

    /** A TPM, and variables of the firmware, take UEFI. */
    private static String firmware(Machine machine) {
        return machine.nvram || machine.hasTpm()
                ? """
                    <loader readonly='yes' secure='no' type='pflash'>/usr/share/OVMF/OVMF_CODE.secboot.fd</loader>
                    <nvram template='/usr/share/OVMF/OVMF_VARS.fd'>/var/lib/libvirt/qemu/nvram/%s.fd</nvram>
                """
                        .formatted(machine.idText)
                : """
                    <bios useserial='yes'/>
                """;
    }

    /** A NIC outside the definition, as a device of a defined machine. */
    static XmlElement nic(Nic nic, int tap) {
        StringBuilder xml = new StringBuilder(512);
        nic(xml, nic, tap, 0);
        return XmlElement.parse(xml.toString()).minus(child -> child.name().equals("address"));
    }

    /** A disk outside the definition, the same way. */
    static XmlElement disk(Disk disk, int index) {
        StringBuilder xml = new StringBuilder(512);
        disk(xml, disk, index, 0);
        return XmlElement.parse(xml.toString())
                .minus(child -> child.name().equals("address") || child.name().equals("boot"));
    }

    private static void metadata(StringBuilder xml, Domain domain) {
        Machine machine = domain.machine;
        xml.append(
                """
                  <metadata xmlns:ovirt-tune="http://ovirt.org/vm/tune/1.0" xmlns:ovirt-vm="http://ovirt.org/vm/1.0">
                    <ovirt-tune:qos/>
                    <ovirt-vm:vm>
                      <ovirt-vm:clusterVersion>4.8</ovirt-vm:clusterVersion>
                      <ovirt-vm:destroy_on_reboot type="bool">False</ovirt-vm:destroy_on_reboot>
                      <ovirt-vm:launchPaused>false</ovirt-vm:launchPaused>
                      <ovirt-vm:memGuaranteedSize type="int">%d</ovirt-vm:memGuaranteedSize>
                      <ovirt-vm:resumeBehavior>auto_resume</ovirt-vm:resumeBehavior>
                      <ovirt-vm:startTime type="float">%d.4</ovirt-vm:startTime>
                """
                        .formatted(machine.guaranteedMib, domain.startEpochSeconds()));
        for (Nic nic : machine.nics) {
            xml.append("      <ovirt-vm:device mac_address=\"")
                    .append(nic.macText())
                    .append("\"/>\n");
        }
        for (Disk disk : machine.disks) {
            if (disk.image() != null) {
                xml.append(
                        """
                              <ovirt-vm:device devtype="disk" name="%s">
                                <ovirt-vm:domainID>%s</ovirt-vm:domainID>
                                <ovirt-vm:guestName>/dev/%s</ovirt-vm:guestName>
                                <ovirt-vm:imageID>%s</ovirt-vm:imageID>
                                <ovirt-vm:poolID>%s</ovirt-vm:poolID>
                                <ovirt-vm:volumeID>%s</ovirt-vm:volumeID>
                              </ovirt-vm:device>
                        """
                                .formatted(
                                        disk.device(),
                                        disk.storage(),
                                        disk.device(),
                                        disk.image(),
                                        Storage.POOL,
                                        disk.volume()));
            } else if (disk.lun() != null) {
                xml.append(
                        """
                              <ovirt-vm:device devtype="disk" name="%s">
                                <ovirt-vm:GUID>%s</ovirt-vm:GUID>
                              </ovirt-vm:device>
                        """
                                .formatted(disk.device(), disk.lun()));
            }
        }
        xml.append("    </ovirt-vm:vm>\n  </metadata>\n");
    }

    private static void cd(StringBuilder xml, Disk disk) {
        XmlElement source = disk.xml() == null ? null : disk.xml().child("source");
        xml.append(
                """
                    <disk type='file' device='cdrom'>
                      <driver name='qemu' error_policy='report'/>
                """);
        if (source != null) {
            xml.append("      <source file='%s'/>\n".formatted(escaped(disk.path())));
        }
        xml.append(
                """
                      <target dev='%s' bus='%s'/>
                      <readonly/>
                      <alias name='ua-%s'/>
                      <address type='drive' controller='0' bus='0' target='0' unit='2'/>
                    </disk>
                """
                        .formatted(disk.device(), disk.bus(), disk.deviceId()));
    }

    private static void disk(StringBuilder xml, Disk disk, int boot, int slot) {
        String type = disk.block() || disk.lun() != null ? "block" : "file";
        String format = disk.lun() != null ? "raw" : "qcow2";
        xml.append(
                """
                    <disk type='%s' device='disk' snapshot='no'>
                      <driver name='qemu' type='%s' cache='none' error_policy='stop' io='%s'/>
                      <source %s='%s' index='%d'/>
                      <backingStore/>
                      <target dev='%s' bus='%s'/>
                """
                        .formatted(
                                type,
                                format,
                                type.equals("block") ? "native" : "threads",
                                type.equals("block") ? "dev" : "file",
                                escaped(disk.path()),
                                boot,
                                disk.device(),
                                disk.bus()));
        if (disk.iopsLimit() > 0) {
            xml.append(
                    """
                          <iotune>
                            <total_iops_sec>%d</total_iops_sec>
                          </iotune>
                    """
                            .formatted(disk.iopsLimit()));
        }
        if (disk.image() != null) {
            xml.append("      <serial>").append(disk.image()).append("</serial>\n");
        }
        xml.append("      <boot order='").append(boot).append("'/>\n");
        alias(xml, disk.deviceId().toString());
        if (disk.bus().equals("virtio")) {
            pci(xml, slot);
        } else {
            xml.append("      <address type='drive' controller='0' bus='0' target='0' unit='")
                    .append(boot - 1)
                    .append("'/>\n");
        }
        xml.append("    </disk>\n");
    }

    private static void controllers(StringBuilder xml, Machine machine) {
        xml.append("    <controller type='usb' index='0' model='qemu-xhci' ports='8'>\n");
        alias(xml, device(machine, "usb"));
        pci(xml, 2);
        xml.append("    </controller>\n");
        if (machine.disks.stream().anyMatch(disk -> disk.bus().equals("scsi"))) {
            xml.append("    <controller type='scsi' index='0' model='virtio-scsi'>\n");
            alias(xml, device(machine, "scsi"));
            pci(xml, 1);
            xml.append("    </controller>\n");
        }
        xml.append("    <controller type='virtio-serial' index='0' ports='16'>\n");
        alias(xml, device(machine, "serial"));
        pci(xml, 3);
        xml.append("    </controller>\n");
    }

    private static void nic(StringBuilder xml, Nic nic, int tap, int slot) {
        xml.append(
                """
                    <interface type='bridge'>
                      <mac address='%s'/>
                      <source bridge='%s'/>
                      <target dev='vnet%d'/>
                      <model type='virtio'/>
                      <filterref filter='vdsm-no-mac-spoofing'/>
                      <link state='up'/>
                      <mtu size='1500'/>
                """
                        .formatted(nic.macText(), escaped(nic.network()), tap));
        alias(xml, nic.deviceId().toString());
        pci(xml, slot);
        xml.append("    </interface>\n");
    }

    private static void channel(StringBuilder xml, Domain domain) {
        Machine machine = domain.machine;
        boolean connected = domain.agent == Domain.Agent.ACTIVE;
        xml.append(
                """
                    <channel type='unix'>
                      <source mode='bind' path='/var/lib/libvirt/qemu/channels/%s.org.qemu.guest_agent.0'/>
                      <target type='virtio' name='org.qemu.guest_agent.0' state='%s'/>
                      <alias name='channel0'/>
                      <address type='virtio-serial' controller='0' bus='0' port='1'/>
                    </channel>
                """
                        .formatted(machine.idText, connected ? "connected" : "disconnected"));
    }

    private static void graphics(StringBuilder xml, Domain domain) {
        String address = domain.host.displayAddress();
        xml.append(
                """
                    <graphics type='vnc' port='%d' autoport='yes' listen='%s' keymap='en-us' passwdValidTo='1970-01-01T00:00:01'>
                      <listen type='network' address='%s' network='vdsm-ovirtmgmt'/>
                    </graphics>
                """
                        .formatted(domain.vncPort, address, address));
        if (domain.spicePort > 0) {
            xml.append(
                    """
                        <graphics type='spice' port='%d' tlsPort='%d' autoport='yes' listen='%s' passwdValidTo='1970-01-01T00:00:01'>
                          <listen type='network' address='%s' network='vdsm-ovirtmgmt'/>
                        </graphics>
                    """
                            .formatted(domain.spicePort, domain.spicePort + 1, address, address));
        }
    }

    private static void rest(StringBuilder xml, Machine machine) {
        xml.append(
                machine.spice
                        ? """
                            <video>
                              <model type='qxl' ram='65536' vram='32768' vgamem='16384' heads='1' primary='yes'/>
                        """
                        : """
                            <video>
                              <model type='vga' vram='16384' heads='1' primary='yes'/>
                        """);
        alias(xml, device(machine, "video"));
        pci(xml, 0);
        xml.append("    </video>\n    <memballoon model='virtio'>\n      <stats period='5'/>\n");
        alias(xml, device(machine, "balloon"));
        pci(xml, 30);
        xml.append("    </memballoon>\n    <rng model='virtio'>\n");
        xml.append("      <backend model='random'>/dev/urandom</backend>\n");
        alias(xml, device(machine, "rng"));
        pci(xml, 31);
        xml.append("    </rng>\n");
        if (machine.hasTpm()) {
            xml.append("    <tpm model='tpm-crb'>\n");
            xml.append("      <backend type='emulator' version='2.0'/>\n");
            alias(xml, device(machine, "tpm"));
            xml.append("    </tpm>\n");
        }
    }

    private static String device(Machine machine, String kind) {
        return Seeds.uuid(Seeds.of(machine.seed, kind)).toString();
    }

    private static void alias(StringBuilder xml, String device) {
        xml.append("      <alias name='ua-").append(device).append("'/>\n");
    }

    private static void pci(StringBuilder xml, int bus) {
        xml.append(
                "      <address type='pci' domain='0x0000' bus='0x%02x' slot='0x00' function='0x0'/>\n"
                        .formatted(bus));
    }

    static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("'", "&apos;")
                .replace("\"", "&quot;");
    }
}
