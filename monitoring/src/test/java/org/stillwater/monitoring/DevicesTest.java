package org.stillwater.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.monitoring.Lab.ALPHA;
import static org.stillwater.monitoring.Lab.BETA;
import static org.stillwater.monitoring.Lab.OTHER;
import static org.stillwater.monitoring.Lab.VM;
import static org.stillwater.monitoring.Lab.status;
import static org.stillwater.monitoring.Lab.vmId;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.connection.HostAnswer;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.definition.VmDevice;
import org.stillwater.core.definition.VmNic;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.id.VmId;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.vm.VmDevices;
import org.stillwater.testkit.ScriptedHost;
import org.stillwater.testkit.ScriptedReports;

class DevicesTest {

    private static final UUID NIC = UUID.fromString("00000000-0000-0000-0000-0000000000a1");
    private static final UUID DISK = UUID.fromString("11a0b1c2-d3e4-4f50-8a6b-7c8d9e0f1a01");
    private static final String DISK_XML =
            """
            <disk type='file' device='disk'>
              <target dev='vda' bus='virtio'/>
              <alias name='ua-11a0b1c2-d3e4-4f50-8a6b-7c8d9e0f1a01'/>
              <address type='pci' domain='0x0000' bus='0x02' slot='0x00' function='0x0'/>
            </disk>
            """;
    private static final String RNG_XML =
            """
            <rng model='virtio'>
              <alias name='rng0'/>
              <address type='pci' domain='0x0000' bus='0x06' slot='0x00' function='0x0'/>
            </rng>
            """;

    private final Lab lab = new Lab();
    private int stamp = 100;

    @Test
    @DisplayName("S65 an event with a new hash leads to one call, and is saved with its devices")
    void anEventWithANewHashLeadsToOneCall() throws Exception {
        upWithDevices(VM, OTHER);
        int generation = lab.devices.generation(VM);

        lab.event(ALPHA, event -> event.running(VM, next(), "h2", status(VmStatus.UP), _ -> {}));

        assertThat(lab.answerDomains(ALPHA, DISK_XML + RNG_XML)).containsExactly(VM);
        assertThat(lab.host(ALPHA).nextDomainCall()).isNull();
        assertThat(lab.devices.hash(VM)).isEqualTo("h2");
        assertThat(lab.devices.generation(VM)).isEqualTo(generation + 1);
        assertThat(lab.devices.of(VM)).extracting(VmDevice::type).contains("rng");
        assertThat(lab.devices.generation(OTHER)).isEqualTo(generation);
    }

    @Test
    void theListOfDevicesHasTheInsertedCd() throws Exception {
        String drive =
                """
                <disk type='file' device='cdrom'>%s<target dev='sdc' bus='sata'/>
                  <alias name='ua-11a0b1c2-d3e4-4f50-8a6b-7c8d9e0f1a02'/>
                  <address type='drive' controller='0' bus='0' target='0' unit='2'/>
                </disk>
                """;
        upWithDevices(VM);

        cycle("h2", VM);
        lab.answerDomains(ALPHA, drive.formatted("<source file='/isos/a.iso'/>"));
        assertThat(currentCd()).isEqualTo("/isos/a.iso");
        long revision = lab.vm(VM).state().revision();
        cycle("h3", VM);
        lab.answerDomains(ALPHA, drive.formatted("<source file='/isos/a.iso'/>"));
        assertThat(lab.vm(VM).state().revision()).as("the same once more").isEqualTo(revision);
        cycle("h4", VM);
        lab.answerDomains(ALPHA, drive.formatted(""));
        assertThat(currentCd()).isEmpty();
    }

    private String currentCd() {
        return lab.vm(VM).state().runtime().text(RuntimeField.CURRENT_CD);
    }

    @Test
    @DisplayName("S66 an equal hash, or none, leads to no call and no SQL")
    void anEqualHashOrNoneLeadsToNoCall() throws Exception {
        upWithDevices(VM);
        int calls = lab.sqlCalls();

        for (int i = 0; i < 5; i++) {
            cycle("h1", VM);
            lab.event(
                    ALPHA, event -> event.running(VM, next(), null, status(VmStatus.UP), _ -> {}));
            cycle(null, VM);
        }

        assertThat(lab.host(ALPHA).nextDomainCall()).isNull();
        assertThat(lab.sqlCalls() - calls).isZero();
    }

    @Test
    @DisplayName("S67 fifty VMs with new hashes are asked for by exactly one call")
    void fiftyVmsWithNewHashesAreReadByOneCall() throws Exception {
        VmId[] all = new VmId[50];
        for (int i = 0; i < all.length; i++) {
            all[i] = vmId(i + 1);
        }
        upWithDevices(all);
        int calls = lab.devices.calls();

        cycle("h2", all);

        assertThat(lab.answerDomains(ALPHA, DISK_XML)).containsExactlyInAnyOrder(all);
        assertThat(lab.host(ALPHA).nextDomainCall()).isNull();
        assertThat(lab.devices.calls() - calls).as("one save, nothing to read").isOne();
        cycle("h3", all);
        assertThat(lab.answerDomains(ALPHA, DISK_XML + RNG_XML)).hasSize(50);
        assertThat(lab.devices.calls() - calls).as("one read, two saves").isEqualTo(3);
        for (VmId id : all) {
            assertThat(lab.devices.hash(id)).isEqualTo("h3");
            assertThat(lab.devices.of(id)).extracting(VmDevice::type).contains("rng");
        }
    }

    @Test
    @DisplayName("S67 an event in the middle of a poll does not split the call")
    void anEventInTheMiddleOfAPollDoesNotSplitTheCall() throws Exception {
        upWithDevices(VM, OTHER);
        lab.clock.advance(lab.settings.hosts().interval());
        lab.pump();
        lab.host(ALPHA).answerStatistics();

        var poll = ScriptedReports.poll(lab.host(ALPHA).oldestPollNanos());
        poll.running(VM, next(), "h2", status(VmStatus.UP), _ -> {});
        poll.running(OTHER, next(), "h2", status(VmStatus.UP), _ -> {});
        var event = ScriptedReports.event(lab.clock.nanoTime());
        event.running(VM, next(), "h2", status(VmStatus.UP), _ -> {});
        lab.host(ALPHA).answerPoll(poll);
        lab.host(ALPHA).listener().vmsChanged(event);
        lab.settle();

        assertThat(lab.answerDomains(ALPHA, DISK_XML)).containsExactlyInAnyOrder(VM, OTHER);
        assertThat(lab.host(ALPHA).nextDomainCall()).isNull();
    }

    @Test
    @DisplayName("S68 a managed plugged disk that is not listed is unplugged, graphics are not")
    void aManagedDiskThatIsNotListedIsUnplugged() throws Exception {
        VmDevice vnc = device(new UUID(7, 1), "graphics", "vnc", true);
        VmDevice tpm = device(new UUID(7, 2), "tpm", "tpm-crb", true);
        VmDevice balloon = device(new UUID(7, 3), "balloon", "memballoon", true);
        VmDevice console = device(new UUID(7, 4), "console", "pty", true);
        VmDevice mdev = device(new UUID(7, 5), "hostdev", "mdev", true);
        List<VmDevice> exempt = List.of(vnc, tpm, balloon, console, mdev);
        up(VM);
        lab.devices.put(VM, "h1", List.of(disk(true), nic(), vnc, tpm, balloon, console, mdev));

        cycle("h2", VM);
        lab.answerDomains(ALPHA, "");

        VmDevice unplugged = stored(DISK);
        assertThat(unplugged.plugged()).isFalse();
        assertThat(unplugged.address()).isEmpty();
        assertThat(unplugged.managed()).isTrue();
        assertThat(lab.devices.of(VM)).containsAll(exempt);
        assertThat(lab.devices.deviceRows()).as("the disk and nothing else").isOne();
    }

    @Test
    @DisplayName("S69 an unmanaged device that is gone is removed, a new one added and plugged")
    void unmanagedDevicesComeAndGo() throws Exception {
        VmDevice gone = device(new UUID(7, 1), "hostdev", "usb", false);
        up(VM);
        lab.devices.put(VM, "h1", List.of(nic(), gone));

        cycle("h2", VM);
        lab.answerDomains(ALPHA, RNG_XML);

        assertThat(lab.devices.of(VM)).doesNotContain(gone);
        assertThat(lab.devices.of(VM))
                .filteredOn(device -> device.type().equals("rng"))
                .singleElement()
                .satisfies(rng -> {
                    assertThat(rng.managed()).isFalse();
                    assertThat(rng.plugged()).isTrue();
                    assertThat(rng.alias()).isEqualTo("rng0");
                });
    }

    @Test
    @DisplayName("S70 a VM that is reported as migrating to the host is not processed")
    void aVmThatMigratesToTheHostIsNotProcessed() throws Exception {
        up(VM);

        cycle("h2", VmStatus.MIGRATING_TO, VM);
        lab.event(
                ALPHA,
                event -> event.running(VM, next(), "h2", status(VmStatus.MIGRATING_TO), _ -> {}));

        assertThat(lab.host(ALPHA).nextDomainCall()).isNull();
    }

    @Test
    @DisplayName("T22 a hash that came while a command held the devices is read in a later cycle")
    void aHashThatCameWhileACommandHeldTheDevicesIsReadLater() throws Exception {
        upWithDevices(VM);
        VmDevices devices = devices(VM);
        assertThat(devices.tryLock()).isTrue();

        cycle("h2", VM);
        assertThat(lab.host(ALPHA).nextDomainCall()).isNull();
        devices.unlock();
        cycle("h2", VM);

        assertThat(lab.answerDomains(ALPHA, DISK_XML + RNG_XML)).containsExactly(VM);
        assertThat(lab.devices.hash(VM)).isEqualTo("h2");
        assertThat(devices.isLocked()).isFalse();
    }

    @Test
    @DisplayName("T22 a command that takes the devices during the call is waited for likewise")
    void aCommandThatTakesTheDevicesDuringTheCall() throws Exception {
        upWithDevices(VM);
        cycle("h2", VM);
        VmDevices devices = devices(VM);
        assertThat(devices.tryLock()).isTrue();

        lab.answerDomains(ALPHA, DISK_XML + RNG_XML);
        assertThat(lab.devices.hash(VM)).isEqualTo("h1");
        devices.unlock();
        cycle("h2", VM);

        assertThat(lab.answerDomains(ALPHA, DISK_XML + RNG_XML)).containsExactly(VM);
        assertThat(lab.devices.hash(VM)).isEqualTo("h2");
    }

    @Test
    @DisplayName("T23 after a failed call, an unreadable answer or a refused row it is tried again")
    void aFailedReadIsTriedAgain() throws Exception {
        upWithDevices(VM);

        cycle("h2", VM);
        lab.host(ALPHA).failCalls(new HostFailure.TimedOut("Host.dumpxmls", 180_000));
        lab.settle();
        assertThat(lab.devices.hash(VM)).isEqualTo("h1");

        cycle("h2", VM);
        answerWith("<domain><devices>");
        assertThat(lab.devices.hash(VM)).isEqualTo("h1");

        cycle("h2", VM);
        answerWith(null);
        assertThat(lab.devices.hash(VM)).isEqualTo("h1");

        lab.vms.refuse(VM, "no");
        cycle("h2", VM);
        lab.answerDomains(ALPHA, DISK_XML + RNG_XML);
        assertThat(lab.devices.hash(VM)).isEqualTo("h1");
        assertThat(devices(VM).isLocked()).isFalse();
        lab.vms.refuse(VM, null);

        cycle("h2", VM);
        lab.answerDomains(ALPHA, DISK_XML + RNG_XML);
        assertThat(lab.devices.hash(VM)).isEqualTo("h2");
        assertThat(lab.devices.of(VM)).extracting(VmDevice::type).contains("rng");
        cycle("h2", VM);
        assertThat(lab.host(ALPHA).nextDomainCall()).isNull();
    }

    @Test
    @DisplayName("T23 an absent database keeps the devices until it is back")
    void anAbsentDatabaseKeepsTheDevices() throws Exception {
        upWithDevices(VM);
        cycle("h2", VM);
        lab.vms.unavailable("gone");
        lab.answerDomains(ALPHA, DISK_XML + RNG_XML);
        assertThat(devices(VM).isLocked()).as("until it is durable").isTrue();

        lab.vms.unavailable(null);
        lab.clock.advance(Duration.ofSeconds(30));
        lab.settle();

        assertThat(lab.devices.hash(VM)).isEqualTo("h2");
        assertThat(devices(VM).isLocked()).isFalse();
    }

    @Test
    @DisplayName("T24 a disk that is plugged between the call and its answer stays plugged")
    void aDiskThatIsPluggedBetweenTheCallAndItsAnswerStaysPlugged() throws Exception {
        up(VM);
        lab.devices.put(VM, "h1", List.of(nic()));
        cycle("h2", VM);
        lab.clock.advance(Duration.ofMillis(5));
        VmDevices devices = devices(VM);
        assertThat(devices.tryLock()).isTrue();
        lab.devices.put(VM, "h1", List.of(nic(), disk(true)));
        devices.changed(DISK, lab.clock.nanoTime());
        devices.unlock();

        lab.answerDomains(ALPHA, RNG_XML);

        assertThat(stored(DISK).plugged()).isTrue();
        assertThat(lab.devices.of(VM)).extracting(VmDevice::type).contains("rng");
        assertThat(lab.devices.hash(VM)).as("the list was too old").isEqualTo("h1");
        cycle("h3", VM);
        lab.answerDomains(ALPHA, RNG_XML + DISK_XML);
        assertThat(stored(DISK).plugged()).isTrue();
        assertThat(lab.devices.hash(VM)).isEqualTo("h3");
        cycle("h4", VM);
        lab.answerDomains(ALPHA, RNG_XML);
        assertThat(stored(DISK).plugged()).as("that was then").isFalse();
    }

    @Test
    @DisplayName(
            "T25 the hash of a VM that is not in the database yet does not keep it from import")
    void theHashOfAnUnknownVmIsNotRemembered() throws Exception {
        lab.storedHosts(ALPHA).started();
        lab.answer(ALPHA, poll -> poll.running(VM, next(), "h1", status(VmStatus.UP), _ -> {}));
        lab.host(ALPHA).failCalls(new HostFailure.TimedOut("Host.dumpxmls", 180_000));
        lab.settle();
        imported(VM);

        cycle("h1", VM);

        assertThat(lab.answerDomains(ALPHA, DISK_XML)).containsExactly(VM);
        assertThat(lab.devices.of(VM)).extracting(VmDevice::id).contains(DISK, NIC);
        assertThat(lab.devices.hash(VM)).isEqualTo("h1");
    }

    @Test
    void afterAnImportFromACompleteListOnlyTheHashIsSaved() throws Exception {
        up(VM);
        lab.devices.put(VM, "", List.of(nic()));
        devices(VM).takenFromList();
        int rows = lab.devices.deviceRows();

        cycle("h5", VM);
        lab.settle();

        assertThat(lab.host(ALPHA).nextDomainCall()).isNull();
        assertThat(lab.devices.hash(VM)).isEqualTo("h5");
        assertThat(lab.devices.deviceRows() - rows).isZero();
        cycle("h6", VM);
        assertThat(lab.answerDomains(ALPHA, "")).as("the next one is read").containsExactly(VM);
    }

    @Test
    @DisplayName("T26 a device without a name is skipped, the others are saved")
    void aDeviceWithoutANameIsSkipped() throws Exception {
        up(VM);
        lab.devices.put(VM, "h1", List.of(nic()));

        cycle("h2", VM);
        lab.answerDomains(
                ALPHA,
                "<controller><address type='pci' slot='0x1'/><alias name='x'/></controller>"
                        + RNG_XML);

        assertThat(lab.devices.of(VM)).extracting(VmDevice::type).containsOnly("interface", "rng");
        assertThat(lab.devices.hash(VM)).isEqualTo("h2");
    }

    @Test
    @DisplayName("T49 the read-only flag of a discovered device is kept")
    void theReadOnlyFlagOfADiscoveredDeviceIsKept() throws Exception {
        up(VM);
        String metadata =
                "<metadata xmlns:o='http://ovirt.org/vm/1.0'><o:vm><o:device devtype='disk'"
                        + " name='vdb'><o:readonly type='bool'>True</o:readonly></o:device></o:vm>"
                        + "</metadata>";
        String disks =
                "<disk><target dev='vda'/><readonly/><alias name='a'/><address type='pci'/></disk>"
                        + "<disk><target dev='vdb'/><alias name='b'/><address type='pci'/></disk>"
                        + "<disk><target dev='vdc'/><alias name='c'/><address type='pci'/></disk>";

        cycle("h2", VM);
        answerWith("<domain>" + metadata + "<devices>" + disks + "</devices></domain>");

        Map<String, Boolean> flags = new HashMap<>();
        lab.devices.of(VM).forEach(device -> flags.put(device.alias(), device.readOnly()));
        assertThat(flags).isEqualTo(Map.of("a", true, "b", true, "c", false));
    }

    @Test
    void aRemovedMemoryModuleIsNoLongerBeingUnplugged() throws Exception {
        VmDevice module = device(new UUID(7, 1), "memory", "dimm", false);
        up(VM);
        lab.devices.put(VM, "h1", List.of(nic(), module));
        devices(VM).memoryUnplugStarted(module.id());

        cycle("h2", VM);
        lab.answerDomains(ALPHA, "");

        assertThat(lab.devices.of(VM)).doesNotContain(module);
        assertThat(devices(VM).isMemoryUnplugging(module.id())).isFalse();
    }

    @Test
    void aVmThatMovedIsReadFromItsNewHostOnly() throws Exception {
        lab.storedHosts(ALPHA, BETA);
        lab.storedVm(VM, ALPHA, VmStatus.UP);
        lab.devices.put(VM, "h1", List.of(nic()));
        lab.started();
        lab.answer(ALPHA, poll -> poll.running(VM, next(), "h2", status(VmStatus.UP), _ -> {}));
        lab.answer(BETA, poll -> poll.running(VM, next(), "h9", status(VmStatus.UP), _ -> {}));
        assertThat(lab.host(BETA).domainCallsWaiting()).as("contested").isZero();
        lab.clock.advance(Duration.ofSeconds(1));
        lab.pump();
        lab.answer(ALPHA, _ -> {});
        assertThat(lab.owner(VM)).isEqualTo(BETA);
        lab.cycle(BETA, poll -> poll.running(VM, next(), "h9", status(VmStatus.UP), _ -> {}));
        lab.cycle(BETA, poll -> poll.running(VM, next(), "h9", status(VmStatus.UP), _ -> {}));

        lab.answerDomains(ALPHA, DISK_XML);
        assertThat(lab.devices.hash(VM)).as("not at home there any more").isEqualTo("h1");
        lab.answerDomains(BETA, RNG_XML);

        assertThat(lab.devices.hash(VM)).isEqualTo("h9");
        assertThat(lab.devices.of(VM)).extracting(VmDevice::type).doesNotContain("disk");
    }

    @Test
    void anInterfacePluggedIntoAnExternalVmIsInItsDefinition() throws Exception {
        lab.storedHosts(ALPHA).started();
        lab.answer(ALPHA, poll -> poll.running(VM, next(), "h1", status(VmStatus.UP), _ -> {}));
        lab.answerDomains(ALPHA, "");
        String second =
                "<interface type='bridge'><mac address='56:6f:00:00:00:02'/>"
                        + "<alias name='ua-00000000-0000-0000-0000-0000000000a2'/>"
                        + "<address type='pci' slot='0x9'/></interface>";

        cycle("h2", VM);
        lab.answerDomains(ALPHA, second);

        assertThat(lab.vm(VM).definition().nics())
                .extracting(VmNic::name, VmNic::mac)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple("nic1", Lab.MAC),
                        org.assertj.core.groups.Tuple.tuple("nic2", "56:6f:00:00:00:02"));
        assertThat(lab.vms.vm(VM).definition().nics()).hasSize(2);
        cycle("h3", VM);
        lab.answerDomains(ALPHA, "");
        assertThat(lab.vm(VM).definition().nics()).extracting(VmNic::name).containsExactly("nic1");
        assertThat(lab.vms.vm(VM).definition().nics()).hasSize(1);
    }

    @Test
    void theDefinitionOfAManagedVmDoesNotFollowTheHost() throws Exception {
        up(VM);
        cycle("h2", VM);
        lab.answerDomains(ALPHA, "");

        assertThat(lab.vm(VM).definition()).isEqualTo(Lab.defined(VM, VmOrigin.OVIRT));
    }

    @Test
    void afterARestartAnEqualHashIsNotReadAgain() throws Exception {
        upWithDevices(VM);
        lab.restarted();
        int calls = lab.devices.calls();

        lab.answer(ALPHA, poll -> poll.running(VM, next(), "h1", status(VmStatus.UP), _ -> {}));
        lab.settle();

        assertThat(lab.host(ALPHA).nextDomainCall()).isNull();
        assertThat(lab.devices.calls() - calls).isZero();
    }

    private void up(VmId... ids) throws Exception {
        lab.storedHosts(ALPHA);
        for (VmId id : ids) {
            lab.storedVm(id, ALPHA, VmStatus.UP);
            lab.devices.put(id, "h1", List.of());
        }
        lab.started();
        lab.answer(
                ALPHA,
                poll -> {
                    for (VmId id : ids) {
                        poll.running(id, next(), "h1", status(VmStatus.UP), _ -> {});
                    }
                });
        lab.settle();
    }

    /** VMs whose devices were read once: an interface and a disk. */
    private void upWithDevices(VmId... ids) throws Exception {
        up(ids);
        cycle("h0", ids);
        while (lab.host(ALPHA).domainCallsWaiting() > 0) {
            lab.answerDomains(ALPHA, DISK_XML);
        }
        cycle("h1", ids);
        while (lab.host(ALPHA).domainCallsWaiting() > 0) {
            lab.answerDomains(ALPHA, DISK_XML);
        }
        assertThat(lab.devices.hash(ids[0])).isEqualTo("h1");
    }

    private void imported(VmId id) {
        lab.storedVm(id, ALPHA, VmStatus.UP);
        lab.engine.commandAccess().added(Objects.requireNonNull(lab.vms.vm(id)));
    }

    private void cycle(@Nullable String hash, VmId... ids) {
        cycle(hash, VmStatus.UP, ids);
    }

    private void cycle(@Nullable String hash, VmStatus status, VmId... ids) {
        lab.cycle(
                ALPHA,
                poll -> {
                    for (VmId id : ids) {
                        poll.running(id, next(), hash, status(status), _ -> {});
                    }
                });
    }

    private void answerWith(@Nullable String xml) {
        ScriptedHost.DomainCall call =
                Objects.requireNonNull(lab.host(ALPHA).nextDomainCall(), "no call");
        call.receiver().accept(new HostAnswer.Success<>(xml == null ? Map.of() : Map.of(VM, xml)));
        lab.settle();
    }

    private int next() {
        return stamp++;
    }

    private VmDevices devices(VmId id) {
        return Objects.requireNonNull(lab.engine.manager(id)).devices();
    }

    private VmDevice stored(UUID id) {
        return lab.devices.of(VM).stream()
                .filter(device -> device.id().equals(id))
                .findFirst()
                .orElseThrow();
    }

    private static VmDevice nic() {
        return new VmDevice(
                NIC,
                "interface",
                "bridge",
                "{type=pci, domain=0x0000, bus=0x01, slot=0x00, function=0x0}",
                "ua-" + NIC,
                true,
                true,
                false,
                null);
    }

    private static VmDevice disk(boolean plugged) {
        return new VmDevice(
                DISK, "disk", "disk", "{type=pci}", "ua-" + DISK, true, plugged, false, null);
    }

    private static VmDevice device(UUID id, String type, String device, boolean managed) {
        return new VmDevice(
                id, type, device, "{type=pci, slot=0x7}", "a" + id, managed, true, false, null);
    }

    @Test
    void unsavedDeviceListsAreBounded() throws Exception {
        VmId[] all = new VmId[300];
        for (int i = 0; i < all.length; i++) {
            all[i] = vmId(i + 1);
        }
        upWithDevices(all);
        lab.vms.unavailable("away");
        cycle("h2", all);

        int asked = 0;
        while (lab.answerDomainsIfAsked(ALPHA)) {
            asked++;
        }
        assertThat(asked).as("answers that wait for the database").isEqualTo(4);

        lab.vms.unavailable(null);
        lab.clock.advance(Duration.ofMinutes(1));
        lab.settle();
        while (lab.answerDomainsIfAsked(ALPHA)) {
            lab.settle();
        }
        for (VmId id : all) {
            assertThat(lab.devices.hash(id)).isEqualTo("h2");
        }
    }
}
