package org.stillwater.monitoring.device;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.stillwater.core.definition.ExternalDataKind;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.ReportedText;
import org.stillwater.core.store.ExternalDataStore;
import org.stillwater.core.store.ExternalDataUpdate;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.WriteOutcome;
import org.stillwater.testkit.Samples;
import org.stillwater.testkit.memory.InMemoryExternalDataStore;
import org.stillwater.testkit.memory.InMemoryVmStore;

/** How data of many hosts' VMs becomes durable. */
class ExternalDataSavesTest {

    private final InMemoryVmStore vms = new InMemoryVmStore();
    private final InMemoryExternalDataStore store = new InMemoryExternalDataStore(vms);
    private final StepWriter step = new StepWriter(vms);
    private final ExternalDataSaves saves = new ExternalDataSaves(step.writer(), store);
    private final List<String> results = new ArrayList<>();

    @BeforeEach
    void vmsAreThere() {
        for (int seed = 1; seed <= 4; seed++) {
            vms.put(Samples.storedVm(seed));
        }
    }

    @Test
    void dataOfManyHostsIsOneCall() {
        save("alpha", update(1, "a"));
        save("beta", update(2, "b"));
        save("gamma", update(3, "c"));
        step.write();

        assertThat(store.calls()).isOne();
        assertThat(results).containsExactly("alpha saved []", "beta saved []", "gamma saved []");
        assertThat(hash(1)).isEqualTo("a");
        assertThat(hash(2)).isEqualTo("b");
        assertThat(hash(3)).isEqualTo("c");
    }

    @Test
    void dataOfOneVmIsWrittenInTheOrderOfItsHosts() {
        save("alpha", update(1, "old"));
        save("beta", update(1, "new"));
        save("gamma", update(2, "b"));
        step.write();
        assertThat(hash(1)).isEqualTo("old");
        assertThat(hash(2)).isNull();
        step.write();

        assertThat(hash(1)).isEqualTo("new");
        assertThat(hash(2)).isEqualTo("b");
        assertThat(store.calls()).isEqualTo(2);
    }

    @Test
    void aRefusedVmIsNamedToAllAndTheOthersAreSaved() {
        vms.refuse(Samples.vm(2), "no");
        save("alpha", update(1, "a"));
        save("beta", update(2, "b"));
        step.write();

        String refused = "[" + Samples.vm(2) + "]";
        assertThat(results).containsExactly("alpha saved " + refused, "beta saved " + refused);
        assertThat(hash(1)).isEqualTo("a");
    }

    @Test
    void charactersOfOneWriteAreBounded() {
        String half = "A".repeat(2 * ReportedText.EXTERNAL_DATA.mostCharacters() + 1);
        save("alpha", new ExternalDataUpdate(Samples.vm(1), ExternalDataKind.TPM, "a", half));
        save("beta", new ExternalDataUpdate(Samples.vm(2), ExternalDataKind.TPM, "b", half));
        step.write();
        assertThat(results).containsExactly("alpha saved []");
        step.write();
        assertThat(results).containsExactly("alpha saved []", "beta saved []");
    }

    @Test
    void aHostWithDataThatFailsInTheStoreLosesOnlyItsOwn() {
        ExternalDataStore fragile =
                new ExternalDataStore() {
                    @Override
                    public WriteOutcome save(List<ExternalDataUpdate> updates) {
                        if (updates.stream().anyMatch(update -> update.hash().equals("bad"))) {
                            throw new IllegalStateException("cannot bind");
                        }
                        return store.save(updates);
                    }

                    @Override
                    public void loadHashes(Receiver receiver) throws StoreUnavailable {
                        store.loadHashes(receiver);
                    }
                };
        ExternalDataSaves some = new ExternalDataSaves(step.writer(), fragile);
        some.save(List.of(update(1, "a")), receiver("alpha"));
        some.save(List.of(update(2, "bad")), receiver("beta"));
        for (int n = 0; n < 3; n++) {
            step.write();
        }

        assertThat(results).containsExactly("alpha saved []", "beta abandoned");
        assertThat(hash(1)).isEqualTo("a");
    }

    private void save(String host, ExternalDataUpdate update) {
        saves.save(List.of(update), receiver(host));
    }

    private ExternalDataSaves.Receiver receiver(String host) {
        return new ExternalDataSaves.Receiver() {
            @Override
            public void saved(Set<String> refused) {
                results.add(host + " saved " + refused);
            }

            @Override
            public void abandoned() {
                results.add(host + " abandoned");
            }
        };
    }

    private static ExternalDataUpdate update(int seed, String hash) {
        return new ExternalDataUpdate(Samples.vm(seed), ExternalDataKind.TPM, hash, "c2VjcmV0");
    }

    private @Nullable String hash(int seed) {
        VmId vm = Samples.vm(seed);
        ExternalDataUpdate saved = store.of(vm, ExternalDataKind.TPM);
        return saved == null ? null : saved.hash();
    }
}
