package org.stillwater.core.connection;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.MemoryVolume;
import org.stillwater.core.definition.VmConsole.Protocol;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.OperationParameters;

/**
 * Order of the engine to a host about a VM (protocol specification §3.1). Hosts answer at once and
 * complete long tasks afterwards; their reports show the result. Text forms leave secrets out.
 */
public sealed interface VmOrder {

    /** The VM that it is about. */
    VmId vmId();

    /**
     * Starts a VM ({@code VM.create}).
     *
     * @param xml libvirt domain XML with the VM's id as {@code uuid}
     * @param dump where its memory was saved, null to boot it; goes together with {@code conf}
     * @param conf where the definition that goes with the memory was saved
     * @param paused whether its processors stand still until it is resumed
     * @param tpm state of its TPM as a host gave it, null for a new one or none; secret
     * @param nvram variables of its firmware as a host gave them, null for new ones; secret
     */
    record Create(
            VmId vmId,
            String xml,
            @Nullable MemoryVolume dump,
            @Nullable MemoryVolume conf,
            boolean paused,
            @Nullable String tpm,
            @Nullable String nvram)
            implements VmOrder {

        public Create {
            if ((dump == null) != (conf == null)) {
                throw new IllegalArgumentException(
                        "a VM is restored from a volume with its memory and one with its"
                                + " definition: name both or none");
            }
        }

        /** Boots a VM. */
        public Create(VmId vmId, String xml) {
            this(vmId, xml, null, null, false, null, null);
        }

        @Override
        public String toString() {
            return "Create["
                    + vmId
                    + (dump == null ? "" : ", from " + dump)
                    + (paused ? ", paused" : "")
                    + (tpm == null ? "" : ", with TPM data")
                    + (nvram == null ? "" : ", with NVRAM data")
                    + "]";
        }
    }

    /**
     * Ends a VM at once and removes it from the host ({@code VM.destroy}). A VM that does not exist
     * counts as success.
     *
     * @param gracefulAttempts how often the host asks the emulator to end before it kills it, at
     *     least 0
     */
    record Destroy(VmId vmId, int gracefulAttempts) implements VmOrder {

        public Destroy {
            notNegative("number of attempts", gracefulAttempts);
        }
    }

    /**
     * Asks a guest to shut down ({@code VM.shutdown}).
     *
     * @param delaySeconds how long the guest waits first, at least 0
     * @param message message to its users meanwhile
     * @param reboot whether it starts again
     * @param timeoutSeconds how long the host waits for the guest before it tries the next way,
     *     null for its own setting
     * @param force whether the host ends the VM if the guest does not obey
     */
    record Shutdown(
            VmId vmId,
            int delaySeconds,
            String message,
            boolean reboot,
            @Nullable Integer timeoutSeconds,
            boolean force)
            implements VmOrder {

        public Shutdown {
            notNegative("delay", delaySeconds);
            if (timeoutSeconds != null) {
                notNegative("timeout", timeoutSeconds);
            }
        }
    }

    /** Resets a VM as its button would ({@code VM.reset}). */
    record Reset(VmId vmId) implements VmOrder {}

    /** Lets its processors stand still ({@code VM.pause}). */
    record Pause(VmId vmId) implements VmOrder {}

    /** Lets its processors continue ({@code VM.cont}). */
    record Resume(VmId vmId) implements VmOrder {}

    /**
     * Saves its memory and ends it ({@code VM.hibernate}).
     *
     * @param volumeHandle names the volumes to save to, as the host expects it; empty for a VM of a
     *     pool that keeps memory itself
     */
    record Hibernate(VmId vmId, String volumeHandle) implements VmOrder {}

    /**
     * Moves a running VM ({@code VM.migrate}). The order goes to the host that runs it.
     *
     * @param source address of that host
     * @param destination address and port of the other one's agent, {@code host:port}
     * @param parameters how it moves
     */
    record Migrate(VmId vmId, String source, String destination, MigrationParameters parameters)
            implements VmOrder {

        public Migrate {
            if (destination.lastIndexOf(':') < 1) {
                throw new IllegalArgumentException(
                        "the destination of a migration is host:port, not " + destination);
            }
        }
    }

    /** Stops a migration ({@code VM.migrateCancel}). The order goes to the source. */
    record CancelMigration(VmId vmId) implements VmOrder {}

    /**
     * Sets the password of a console ({@code VM.updateDevice}, {@code VM.setTicket}).
     *
     * @param console protocol of the console; null for the first one in the VM's domain
     * @param password secret
     * @param ttlSeconds how long it may be used, at least 0
     * @param existing fate of a connected client
     * @param parameters further ones, by name, for the host agent and its hooks; at most 100
     */
    record SetTicket(
            VmId vmId,
            @Nullable Protocol console,
            String password,
            int ttlSeconds,
            ConsoleConnection existing,
            Map<String, String> parameters)
            implements VmOrder {

        private static final int MOST_PARAMETERS = 100;

        public SetTicket {
            notNegative("time to live", ttlSeconds);
            if (parameters.size() > MOST_PARAMETERS) {
                throw new IllegalArgumentException(
                        "a ticket has at most " + MOST_PARAMETERS + " parameters");
            }
            parameters = Map.copyOf(parameters);
        }

        @Override
        public String toString() {
            return "SetTicket[" + vmId + ", for " + ttlSeconds + " s, " + existing + "]";
        }
    }

    /**
     * Puts another CD into the drive of a VM that runs, or takes it out ({@code VM.changeCD}).
     *
     * @param bus bus of the drive: {@code sata} or {@code ide}
     * @param index its number on the bus, at least 0
     * @param path absolute path of the image on the host; empty for no CD
     */
    record ChangeCd(VmId vmId, String bus, int index, String path) implements VmOrder {

        public ChangeCd {
            notNegative("number of the drive", index);
        }
    }

    /**
     * Plugs a device into a VM that runs, or out of it ({@code VM.hotplugNic}, {@code
     * VM.hotunplugNic}, {@code VM.hotplugDisk}, {@code VM.hotunplugDisk}).
     *
     * @param type type of the device
     * @param in whether it is plugged in
     * @param xml the device in libvirt's words, with the host agent's metadata
     */
    record Plug(VmId vmId, OperationParameters.DeviceType type, boolean in, String xml)
            implements VmOrder {

        @Override
        public String toString() {
            return "Plug[%s, %s %s]".formatted(vmId, type, in ? "in" : "out");
        }
    }

    private static void notNegative(String what, int number) {
        if (number < 0) {
            throw new IllegalArgumentException("the " + what + " is at least 0, not " + number);
        }
    }
}
