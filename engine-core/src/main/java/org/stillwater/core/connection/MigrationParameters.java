package org.stillwater.core.connection;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a running VM moves to another host (protocol specification §3.8). The source host decides
 * about null values.
 *
 * @param migrationAddress address of the destination on the network that carries the memory, null
 *     for the one by which the engine reaches it
 * @param consoleAddress address to which consoles are to reconnect
 * @param tunneled whether the memory goes through libvirt's connection
 * @param autoConverge whether the guest may be slowed down
 * @param compressed whether repeated pages are compressed
 * @param encrypted whether the memory is encrypted on its way
 * @param abortOnError whether an I/O error of the guest ends the migration
 * @param bandwidthMebibytesPerSecond the most it may take of the network, at least 1
 * @param guestEvents whether the guest gets an event before and after
 * @param outgoingLimit migrations that may leave the source at once, at least 1
 * @param incomingLimit migrations that may reach the destination at once, at least 1
 * @param schedule actions when the guest writes too fast
 * @param connections number of connections that carry the memory, at least 1
 * @param zeroCopy whether the memory is sent without copying it first
 * @param cpuSets for each virtual CPU the CPUs of the destination it may run on; empty for any
 * @param numaNodeSets for each virtual NUMA node those of the destination; empty for any
 */
public record MigrationParameters(
        @Nullable String migrationAddress,
        @Nullable String consoleAddress,
        boolean tunneled,
        boolean autoConverge,
        boolean compressed,
        boolean encrypted,
        @Nullable Boolean abortOnError,
        @Nullable Integer bandwidthMebibytesPerSecond,
        boolean guestEvents,
        int outgoingLimit,
        int incomingLimit,
        @Nullable ConvergenceSchedule schedule,
        @Nullable Integer connections,
        @Nullable Boolean zeroCopy,
        List<String> cpuSets,
        List<String> numaNodeSets) {

    /** Two migrations at a time in each direction, with longer and longer downtimes. */
    public static final MigrationParameters DEFAULT =
            new MigrationParameters(
                    null,
                    null,
                    false,
                    true,
                    false,
                    false,
                    null,
                    null,
                    true,
                    2,
                    2,
                    ConvergenceSchedule.MINIMAL_DOWNTIME,
                    null,
                    null,
                    List.of(),
                    List.of());

    public MigrationParameters {
        atLeastOne("bandwidth of a migration", bandwidthMebibytesPerSecond);
        atLeastOne("limit of outgoing migrations", outgoingLimit);
        atLeastOne("limit of incoming migrations", incomingLimit);
        atLeastOne("number of connections of a migration", connections);
        cpuSets = List.copyOf(cpuSets);
        numaNodeSets = List.copyOf(numaNodeSets);
    }

    private static void atLeastOne(String what, @Nullable Integer number) {
        if (number != null && number < 1) {
            throw new IllegalArgumentException("the " + what + " is at least 1, not " + number);
        }
    }

    /** The same by way of this address of the destination. */
    public MigrationParameters by(String address) {
        return new MigrationParameters(
                address,
                consoleAddress,
                tunneled,
                autoConverge,
                compressed,
                encrypted,
                abortOnError,
                bandwidthMebibytesPerSecond,
                guestEvents,
                outgoingLimit,
                incomingLimit,
                schedule,
                connections,
                zeroCopy,
                cpuSets,
                numaNodeSets);
    }

    /** The same with these limits of migrations at a time. */
    public MigrationParameters atOnce(int outgoing, int incoming) {
        return new MigrationParameters(
                migrationAddress,
                consoleAddress,
                tunneled,
                autoConverge,
                compressed,
                encrypted,
                abortOnError,
                bandwidthMebibytesPerSecond,
                guestEvents,
                outgoing,
                incoming,
                schedule,
                connections,
                zeroCopy,
                cpuSets,
                numaNodeSets);
    }
}
