package org.stillwater.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.monitoring.Lab.ALPHA;
import static org.stillwater.monitoring.Lab.OTHER;
import static org.stillwater.monitoring.Lab.VM;
import static org.stillwater.monitoring.Lab.status;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.stillwater.core.connection.HostAnswer;
import org.stillwater.core.definition.FoundDefinition;
import org.stillwater.core.definition.VmDisk;
import org.stillwater.core.definition.VmInterface;
import org.stillwater.core.definition.VmNic;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.DefinitionStore.Definition;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.testkit.ScriptedHost;
import org.stillwater.testkit.ScriptedReports;
import org.stillwater.testkit.memory.InMemoryDefinitionStore;

/** Found VMs have a definition with their devices, which follows the host. */
class FoundDefinitionsTest {

    private static final UUID DISK = UUID.fromString("11a0b1c2-d3e4-4f50-8a6b-7c8d9e0f1a01");
    private static final String DISK_XML =
            """
            <disk type='file' device='disk'>
              <driver name='qemu' type='qcow2'/>
              <source file='/rhev/data-center/5f6e7d8c-9b0a-41f2-83e4-d5c6b7a89f01/f1b2c3d4-0a1b-4c2d-8e3f-a1b2c3d4e5f6/images/11a0b1c2-d3e4-4f50-8a6b-7c8d9e0f1a01/99e8f7a6-b5c4-4d3e-8f21-0a1b2c3d4e99'/>
              <target dev='vda' bus='virtio'/>
              <serial>11a0b1c2-d3e4-4f50-8a6b-7c8d9e0f1a01</serial>
              <alias name='ua-11a0b1c2-d3e4-4f50-8a6b-7c8d9e0f1a01'/>
              <address type='pci' domain='0x0000' bus='0x02' slot='0x00' function='0x0'/>
            </disk>
            """;
    private static final String FILE_SYSTEM_XML =
            "<filesystem type='mount'><source dir='/srv'/><target dir='tag'/></filesystem>";

    private final Lab lab = new Lab();
    private int stamp = 100;

    @BeforeEach
    void start() throws Exception {
        lab.storedHosts(ALPHA).started();
    }

    private void report(String hash, VmId... ids) {
        lab.cycle(ALPHA, running(hash, ids));
    }

    /** The first answer to a new connection. */
    private void begin(VmId... ids) {
        lab.answer(ALPHA, running("h1", ids));
    }

    private Consumer<ScriptedReports> running(String hash, VmId... ids) {
        return poll -> {
            for (VmId id : ids) {
                poll.running(id, stamp++, hash, status(VmStatus.UP), _ -> {});
            }
        };
    }

    private void answer(String network, String devices) {
        ScriptedHost.DomainCall call =
                Objects.requireNonNull(lab.host(ALPHA).nextDomainCall(), "no call for domain XML");
        Map<VmId, String> xmls = new HashMap<>();
        for (VmId vm : call.vms()) {
            xmls.put(
                    vm,
                    Lab.domainXml(vm, devices)
                            .replace("<model ", "<source bridge='" + network + "'/><model "));
        }
        call.receiver().accept(new HostAnswer.Success<>(xmls));
        lab.settle();
    }

    private InMemoryDefinitionStore definitions() {
        return new InMemoryDefinitionStore(lab.vms);
    }

    private VmSpecification specification(VmId vm) throws Exception {
        Definition stored = Objects.requireNonNull(definitions().load(List.of(vm)).get(vm));
        return Objects.requireNonNull(stored.specification());
    }

    @Test
    void aFoundVmHasADefinitionWithItsDevices() throws Exception {
        begin(VM);
        answer("ovirtmgmt", DISK_XML);

        VmSpecification found = specification(VM);
        assertThat(found.disks()).extracting(VmDisk::id).containsExactly(DISK);
        assertThat(found.interfaces())
                .extracting(VmInterface::mac, VmInterface::network)
                .containsExactly(org.assertj.core.groups.Tuple.tuple(Lab.MAC, "ovirtmgmt"));
        assertThat(Objects.requireNonNull(found.found()).missing()).isEmpty();
    }

    @Test
    void theDefinitionFollowsTheHost() throws Exception {
        begin(VM);
        answer("ovirtmgmt", "");
        report("h2", VM);
        answer("ovirtmgmt", DISK_XML + FILE_SYSTEM_XML);
        assertThat(specification(VM).disks()).hasSize(1);
        assertThat(Objects.requireNonNull(specification(VM).found()).missing())
                .containsExactly("file system of the host /srv");

        // Monitoring does not keep the network of an interface; the definition does.
        report("h3", VM);
        answer("blue", DISK_XML + FILE_SYSTEM_XML);
        assertThat(specification(VM).interfaces())
                .extracting(VmInterface::network)
                .containsExactly("blue");
        int rows = lab.devices.deviceRows();
        int calls = lab.devices.calls();
        report("h4", VM); // as after a restart of the agent
        answer("blue", DISK_XML + FILE_SYSTEM_XML);
        assertThat(lab.devices.deviceRows()).isEqualTo(rows);
        assertThat(lab.devices.calls() - calls).as("only the hash").isOne();
    }

    /** A host could name a file of another one, on which the VM is started next. */
    @Test
    void filesOfAHostAreNoPartOfTheDefinition() throws Exception {
        begin(VM);
        answer("ovirtmgmt", DISK_XML.replaceAll("/rhev[^']*", "/etc/shadow"));
        assertThat(specification(VM).disks()).isEmpty();
        assertThat(Objects.requireNonNull(specification(VM).found()).missing())
                .containsExactly(
                        "disk1 with the path /etc/shadow on the host, which an administrator has"
                                + " to add");
    }

    @Test
    void aDefinitionOfAUserStays() throws Exception {
        begin(VM);
        answer("ovirtmgmt", DISK_XML);
        Definition before = Objects.requireNonNull(definitions().load(List.of(VM)).get(VM));
        VmSpecification own = VmSpecification.BARE.withFound(null);
        boolean _ =
                definitions().update(VM, new Definition(before.definition(), own, 0, null, null));
        report("h2", VM);
        answer("blue", DISK_XML);
        assertThat(specification(VM)).isEqualTo(own);
    }

    @Test
    void interfacesHaveTheIdentitiesThatMonitoringKeeps() throws Exception {
        begin(VM, OTHER); // with one identity and one address
        answer("ovirtmgmt", DISK_XML);
        for (VmId vm : List.of(VM, OTHER)) {
            assertThat(specification(vm).interfaces())
                    .extracting(VmInterface::id)
                    .isEqualTo(lab.vm(vm).definition().nics().stream().map(VmNic::id).toList());
        }
        assertThat(specification(VM).interfaces()).isNotEqualTo(specification(OTHER).interfaces());
    }

    /** An engine of before such definitions knows the hash of a VM, and no definition. */
    @Test
    void aVmThatWasFoundEarlierIsReadOnceMore() throws Exception {
        begin(VM);
        answer("ovirtmgmt", DISK_XML);
        Definition before = Objects.requireNonNull(definitions().load(List.of(VM)).get(VM));
        definitions().put(VM, new Definition(before.definition(), null, 0, null, null));
        lab.restarted();
        begin(VM);
        answer("ovirtmgmt", DISK_XML);
        assertThat(specification(VM).found())
                .isInstanceOf(FoundDefinition.class)
                .extracting(FoundDefinition::followed)
                .isEqualTo(true);
        report("h1", VM);
        assertThat(lab.host(ALPHA).nextDomainCall()).isNull();
    }
}
