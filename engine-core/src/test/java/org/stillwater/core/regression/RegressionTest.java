package org.stillwater.core.regression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.stillwater.core.regression.ChangePoint.Shape;
import org.stillwater.core.regression.SeriesOwner.Shared;

/** A fleet of 10 hosts in 2 clusters with 80 VMs each, on 8 storage domains. */
class RegressionTest {

    private static final int HOSTS = 10;
    private static final int VMS = 80;
    private static final int WINDOW = 5;

    private final List<SeriesOwner> fleet = new ArrayList<>();

    RegressionTest() {
        for (int host = 0; host < HOSTS; host++) {
            for (int vm = 0; vm < VMS; vm++) {
                fleet.add(
                        new SeriesOwner(
                                "vm-%d-%02d".formatted(host, vm),
                                List.of(
                                        new Shared("host", "host-" + host),
                                        new Shared("storage domain", "domain-" + vm % 8),
                                        new Shared("cluster", "cluster-" + host % 2))));
            }
        }
    }

    static LongStream seeds() {
        return LongStream.rangeClosed(1, 20);
    }

    private static ChangePoint change(long index, double relative) {
        return new ChangePoint(
                index,
                index - 1,
                index + 1,
                relative,
                relative - 0.02,
                relative + 0.02,
                0.999,
                Shape.STEP,
                List.of());
    }

    private Map<String, List<ChangePoint>> slower(Predicate<SeriesOwner> owners, long index) {
        Map<String, List<ChangePoint>> changes = new HashMap<>();
        for (SeriesOwner each : fleet) {
            if (owners.test(each)) {
                changes.put(
                        each.name(), List.of(change(index + each.name().hashCode() % 2, -0.25)));
            }
        }
        return changes;
    }

    private static Predicate<SeriesOwner> on(String level, String name) {
        return owner -> owner.shared().contains(new Shared(level, name));
    }

    private List<Regression> causes(Map<String, List<ChangePoint>> changes) {
        return Regression.perCause(fleet, changes, WINDOW);
    }

    @Test
    void aFaultOfAHostIsOneFindingWithItsEightyMachines() {
        assertThat(causes(slower(on("host", "host-3"), 150)))
                .hasSize(1)
                .first()
                .satisfies(one -> {
                    assertThat(one.where()).isEqualTo(new Shared("host", "host-3"));
                    assertThat(one.members())
                            .hasSize(VMS)
                            .allMatch(name -> name.startsWith("vm-3-"));
                    assertThat(one.index()).isBetween(149L, 151L);
                    assertThat(one.relativeChange()).isEqualTo(-0.25);
                });
    }

    @Test
    void aFaultOfAStorageDomainNamesNoHost() {
        assertThat(causes(slower(on("storage domain", "domain-5"), 80)))
                .hasSize(1)
                .first()
                .satisfies(one -> {
                    assertThat(one.where()).isEqualTo(new Shared("storage domain", "domain-5"));
                    assertThat(one.members()).hasSize(HOSTS * VMS / 8);
                });
    }

    @Test
    void aFaultOfAClusterIsNotOneOfEachHost() {
        assertThat(causes(slower(on("cluster", "cluster-1"), 80)))
                .extracting(Regression::where)
                .containsExactly(new Shared("cluster", "cluster-1"));
    }

    @Test
    void aMachineAloneHasNoSharedObject() {
        assertThat(causes(slower(owner -> owner.name().equals("vm-4-17"), 60)))
                .hasSize(1)
                .first()
                .satisfies(one -> {
                    assertThat(one.where()).isNull();
                    assertThat(one.members()).containsExactly("vm-4-17");
                });
    }

    @Test
    void theLowerOfTwoObjectsWithTheSameMembersIsNamed() {
        List<SeriesOwner> small = new ArrayList<>();
        Map<String, List<ChangePoint>> changes = new HashMap<>();
        for (int vm = 0; vm < 4; vm++) {
            small.add(
                    new SeriesOwner(
                            "vm-" + vm,
                            List.of(new Shared("host", "only"), new Shared("cluster", "one"))));
            changes.put("vm-" + vm, List.of(change(50, 0.4)));
        }

        assertThat(Regression.perCause(small, changes, WINDOW))
                .extracting(Regression::where)
                .containsExactly(new Shared("host", "only"));
    }

    @Test
    void twoCausesAtDifferentTimesOrInDifferentDirectionsAreTwoFindings() {
        Map<String, List<ChangePoint>> changes = slower(on("host", "host-2"), 100);
        changes.replaceAll((name, first) -> List.of(first.getFirst(), change(180, -0.1)));
        for (SeriesOwner each : fleet) {
            if (on("host", "host-6").test(each)) {
                changes.put(each.name(), List.of(change(100, 0.3)));
            }
        }

        assertThat(causes(changes))
                .extracting(one -> one.where() + " " + one.members().size())
                .containsExactlyInAnyOrder(
                        new Shared("host", "host-2") + " 80",
                        new Shared("host", "host-2") + " 80",
                        new Shared("host", "host-6") + " 80");
    }

    /** Some members hide the change in their noise, and other machines change by themselves. */
    @ParameterizedTest
    @MethodSource("seeds")
    void theObjectIsNamedAmongMissedAndStrayChanges(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Shared cause = fleet.get(random.nextInt(fleet.size())).shared().get(random.nextInt(3));
        Map<String, List<ChangePoint>> changes =
                slower(owner -> owner.shared().contains(cause) && random.nextInt(10) > 0, 150);
        for (int i = 0; i < 8; i++) {
            changes.putIfAbsent(
                    fleet.get(random.nextInt(fleet.size())).name(),
                    List.of(change(random.nextInt(300), -0.1)));
        }

        assertThat(causes(changes))
                .filteredOn(one -> one.where() != null)
                .extracting(Regression::where)
                .containsExactly(cause);
    }

    @Test
    void anUnknownOwnerAndADoubleOneAreRefused() {
        assertThatThrownBy(() -> causes(Map.of("vm-x", List.of(change(9, 0.2)))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("vm-x");
        fleet.add(fleet.getFirst());
        assertThatThrownBy(() -> causes(Map.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("vm-0-00");
    }
}
