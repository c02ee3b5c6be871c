package org.stillwater.command.operation;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.stillwater.command.host.HostOperationSettings;
import org.stillwater.command.host.HostOperations;
import org.stillwater.core.analysis.host.HostFact;
import org.stillwater.core.analysis.host.KdumpLimits;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.cluster.MigrateOnError;
import org.stillwater.core.definition.VmInterface;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.fence.FenceAgent;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.store.DefinitionStore.Definition;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.testkit.hypervisor.ModelStorage;

/** A laboratory with operations on hosts. */
final class HostLab {

    final CommandLab lab = new CommandLab();
    final ScriptedPowerFence power = new ScriptedPowerFence(lab);
    final ScriptedKdumpListener kdump = new ScriptedKdumpListener(lab);
    HostOperationSettings settings = HostOperationSettings.DEFAULT.withDryRun(false);
    HostOperations hosts;

    HostLab(int count) {
        lab.withHosts(count)
                .withHostCommands(_ -> {
                    hosts =
                            new HostOperations(
                                    settings, power, kdump, KdumpLimits.DEFAULT, HostLab::parsed);
                    return hosts;
                });
    }

    /**
     * Definitions are texts of a name's number and a priority, and, of VMs with a lease, "leased"
     * or the identity of the storage domain that it is on, and, of highly available VMs, of where
     * they belong ("north" or not) and of the end of their interface's address.
     */
    private static Definition parsed(String text) {
        String[] parts = text.split(" ", -1);
        if (parts.length < 2 || parts.length > 4) {
            throw new IllegalArgumentException("a definition is a number and a priority");
        }
        int number = Integer.parseInt(parts[0]);
        int priority = Integer.parseInt(parts[1]);
        if (parts.length == 2) {
            return new Definition(
                    CommandLab.vmStatic(number, false, false), null, priority, null, null);
        }
        if (parts.length == 3) {
            UUID lease =
                    parts[2].equals("leased") ? ModelStorage.DOMAIN : UUID.fromString(parts[2]);
            return new Definition(
                    CommandLab.vmStatic(number, false, true), null, priority, lease, null);
        }
        VmInterface nic =
                new VmInterface(
                        UUID.nameUUIDFromBytes(text.getBytes(UTF_8)),
                        "nic1",
                        "56:00:00:00:00:" + parts[3],
                        null);
        return new Definition(
                CommandLab.vmStatic(
                        number,
                        true,
                        false,
                        parts[2].equals("north") ? CommandLab.UP_NORTH.id() : ClusterId.DEFAULT,
                        List.of(nic.nic(null))),
                VmSpecification.BARE.withDevices(List.of(), null, List.of(nic)),
                priority,
                null,
                null);
    }

    HostLab withAgent(int host) {
        try {
            assertThat(
                            lab.definitions.saveFenceAgents(
                                    CommandLab.hostId(host),
                                    List.of(
                                            new FenceAgent(
                                                    "ipmilan",
                                                    "192.0.2.200",
                                                    null,
                                                    "admin",
                                                    "secret word",
                                                    Map.of()))))
                    .isTrue();
        } catch (StoreUnavailable e) {
            throw new IllegalStateException(e);
        }
        return this;
    }

    /** Highly available VMs that are up on the first host, by number and priority. */
    HostLab withVms(int count, boolean highlyAvailable) {
        for (int n = 1; n <= count; n++) {
            lab.withVm(n, highlyAvailable, n).up(n, 1);
        }
        return this;
    }

    /** Which VMs leave a host that becomes non-operational. */
    void leaving(MigrateOnError policy) {
        lab.clusters.put(
                new Cluster(
                        Cluster.DEFAULT.id(),
                        Cluster.DEFAULT.dataCentre(),
                        Cluster.DEFAULT.name(),
                        Cluster.DEFAULT.description(),
                        Cluster.DEFAULT.requirements(),
                        policy,
                        Cluster.DEFAULT.fencing(),
                        Cluster.DEFAULT.memory()));
    }

    void maintain(int host) {
        assertThat(
                        lab.engine()
                                .administration()
                                .order(CommandLab.hostId(host), new HostFact.Maintain("new disks")))
                .isNotNull();
        lab.pump();
    }

    /** Lets time pass until the first host has this status. */
    void until(HostStatus wanted) {
        for (int i = 0; i < 400 && status(1) != wanted; i++) {
            lab.seconds(1);
        }
        assertThat(status(1)).isEqualTo(wanted);
    }

    HostStatus status(int host) {
        return lab.engine().fleet().host(CommandLab.hostId(host)).state().status();
    }

    List<Operation> operations(OperationKind kind) {
        return lab.operations.all().stream()
                .filter(operation -> operation.kind() == kind)
                .map(operation -> lab.operation(operation.id()))
                .toList();
    }

    Operation only(OperationKind kind) {
        assertThat(operations(kind)).as("operations of kind %s", kind).hasSize(1);
        return operations(kind).getFirst();
    }

    /** Conditions that hold at the end of every history. */
    void wellEnded() {
        lab.seconds(1); // until it is written
        assertThat(lab.centre.doubles()).isEmpty();
        assertThat(lab.commands.operations(operation -> !operation.isEnded())).isEmpty();
        assertThat(lab.operations.all()).allMatch(Operation::isEnded);
        assertThat(lab.hosts.openWork()).isEmpty();
    }

    void up(int vm, int... hosts) {
        assertThat(lab.status(vm)).as("vm%d", vm).isEqualTo(VmStatus.UP);
        assertThat(lab.vm(vm).state().placement().runOn())
                .as("vm%d", vm)
                .isIn(
                        java.util.Arrays.stream(hosts)
                                .mapToObj(CommandLab::hostId)
                                .map(Object.class::cast)
                                .toList());
    }
}
