package org.stillwater.monitoring.device;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.stillwater.core.definition.VmDevice;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.DeviceStore;
import org.stillwater.core.store.DeviceUpdate;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.VmWithDevices;
import org.stillwater.core.store.WriteOutcome;
import org.stillwater.testkit.Samples;
import org.stillwater.testkit.memory.InMemoryDeviceStore;
import org.stillwater.testkit.memory.InMemoryVmStore;

/** How new VMs and their devices become durable. */
class VmAdditionsTest {

    private static final VmDevice DEVICE = Samples.device(1, "ua-1");

    private final InMemoryVmStore vms = new InMemoryVmStore();
    private final InMemoryDeviceStore devices = new InMemoryDeviceStore(vms);
    private final StrictStore strict = new StrictStore();
    private final StepWriter step = new StepWriter(vms);
    private final VmAdditions additions = new VmAdditions(step.writer(), vms, strict);
    private final List<VmAdditions.Saved> saved = new ArrayList<>();
    private final List<String> givenUp = new ArrayList<>();

    @Test
    void vmsAndDevicesOfAllHostsAreOneCall() {
        add("alpha", 1, 2);
        add("beta", 3);
        step.write();

        assertThat(saved)
                .hasSize(2)
                .allSatisfy(result -> {
                    assertThat(result.refused()).isEmpty();
                    assertThat(result.withoutDevices()).isEmpty();
                    assertThat(result.someWereThere()).isFalse();
                });
        assertThat(vms.calls()).as("owners of interfaces, and VMs").isEqualTo(2);
        assertThat(strict.additions).isOne();
        assertThat(strict.savings).isZero();
        for (int n = 1; n <= 3; n++) {
            assertThat(devices.of(Samples.vm(n))).containsExactly(DEVICE);
            assertThat(devices.hash(Samples.vm(n))).isEqualTo("h" + n);
        }
    }

    @Test
    void refusedDevicesDoNotMakeTheirVmUnknown() {
        strict.refused.add(Samples.vm(2));
        add("alpha", 1, 2, 3);
        step.write();

        assertThat(saved)
                .singleElement()
                .satisfies(result -> {
                    assertThat(result.refused()).isEmpty();
                    assertThat(result.withoutDevices()).containsExactly(Samples.vm(2));
                    assertThat(result.someWereThere()).isFalse();
                });
        assertThat(vms.vm(Samples.vm(2))).isNotNull();
        assertThat(devices.of(Samples.vm(1))).containsExactly(DEVICE);
        assertThat(devices.of(Samples.vm(2))).isEmpty();
        assertThat(devices.of(Samples.vm(3))).containsExactly(DEVICE);
    }

    @Test
    void aRefusedVmKeepsNoOtherFromBeingAdded() {
        vms.refuse(Samples.vm(2), "name too long");
        add("alpha", 1, 2, 3);
        step.write();

        assertThat(saved)
                .singleElement()
                .satisfies(result -> {
                    assertThat(result.refused())
                            .containsOnly(Map.entry(Samples.vm(2), "name too long"));
                    assertThat(result.withoutDevices()).isEmpty();
                });
        assertThat(vms.size()).isEqualTo(2);
    }

    @Test
    void afterALostAnswerTheDevicesAreMerged() {
        strict.answerLost = true;
        add("alpha", 1, 2);
        step.write();
        assertThat(saved).isEmpty();
        step.write();

        assertThat(saved)
                .singleElement()
                .satisfies(result -> {
                    assertThat(result.refused()).isEmpty();
                    assertThat(result.withoutDevices()).isEmpty();
                    assertThat(result.someWereThere()).isTrue();
                });
        assertThat(strict.additions).isEqualTo(2);
        assertThat(strict.savings).isOne();
        assertThat(devices.of(Samples.vm(1))).containsExactly(DEVICE);
    }

    @Test
    void aHostWithVmsThatFailInTheStoreLosesOnlyItsOwn() {
        strict.breaking.add(Samples.vm(2));
        add("alpha", 1);
        add("beta", 2);
        add("gamma", 3);
        for (int n = 0; n < 4; n++) {
            step.write();
        }

        assertThat(givenUp).containsExactly("beta");
        assertThat(saved).hasSize(2);
        assertThat(vms.vm(Samples.vm(1))).isNotNull();
        assertThat(vms.vm(Samples.vm(2))).isNull();
        assertThat(vms.vm(Samples.vm(3))).isNotNull();
    }

    private void add(String host, int... seeds) {
        List<NewVm> some = new ArrayList<>();
        for (int seed : seeds) {
            VmId id = Samples.vm(seed);
            some.add(
                    new NewVm(
                            Samples.storedVm(seed),
                            new DeviceUpdate(
                                    id, "h" + seed, List.of(), List.of(), List.of(DEVICE), null),
                            seed));
        }
        additions.save(
                some,
                new VmAdditions.Receiver() {
                    @Override
                    public void added(VmAdditions.Saved result) {
                        saved.add(result);
                    }

                    @Override
                    public void abandoned() {
                        givenUp.add(host);
                    }
                });
    }

    /** Refuses devices of some VMs as a constraint of their table does; can lose an answer. */
    private final class StrictStore implements DeviceStore {

        private final Set<VmId> refused = new HashSet<>();
        private final Set<VmId> breaking = new HashSet<>();
        private boolean answerLost;
        private int additions;
        private int savings;

        @Override
        public WriteOutcome add(List<VmWithDevices> added) {
            additions++;
            if (added.stream().anyMatch(one -> breaking.contains(one.vm().id()))) {
                throw new IllegalStateException("cannot bind");
            }
            WriteOutcome outcome =
                    devices.add(
                            added.stream()
                                    .filter(one -> !refused.contains(one.vm().id()))
                                    .toList());
            if (answerLost) {
                answerLost = false;
                return new WriteOutcome.Unavailable("the answer was lost");
            }
            return withRefused(outcome, added.stream().map(one -> one.vm().id()).toList());
        }

        @Override
        public WriteOutcome save(List<DeviceUpdate> updates) {
            savings++;
            return withRefused(
                    devices.save(
                            updates.stream()
                                    .filter(update -> !refused.contains(update.vmId()))
                                    .toList()),
                    updates.stream().map(DeviceUpdate::vmId).toList());
        }

        private WriteOutcome withRefused(WriteOutcome outcome, List<VmId> all) {
            if (!(outcome instanceof WriteOutcome.Written(int rows, var rejected, _, _))) {
                return outcome;
            }
            List<WriteOutcome.Rejected> more = new ArrayList<>(rejected);
            all.stream()
                    .filter(refused::contains)
                    .forEach(
                            id -> more.add(new WriteOutcome.Rejected(id.toString(), "bad device")));
            return new WriteOutcome.Written(rows, more);
        }

        @Override
        public Map<VmId, List<VmDevice>> load(List<VmId> wanted) throws StoreUnavailable {
            return devices.load(wanted);
        }

        @Override
        public void loadHashes(BiConsumer<VmId, String> receiver) throws StoreUnavailable {
            devices.loadHashes(receiver);
        }
    }
}
