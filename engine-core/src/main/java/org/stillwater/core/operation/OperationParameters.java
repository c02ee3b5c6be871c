package org.stillwater.core.operation;

import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.VmConsole;
import org.stillwater.core.id.HostId;

/**
 * Parameters of an operation beyond its kind. Durable as one JSON text; components are therefore
 * plain values, and none of them is secret.
 */
public sealed interface OperationParameters {

    /** No further parameters. */
    record None() implements OperationParameters {}

    /** No further parameters. */
    OperationParameters NONE = new None();

    /**
     * How a VM is to be run.
     *
     * @param host the only host that will do, null for any
     * @param paused whether its CPUs are to stand still at first
     * @param cause the origin of the request
     * @param definition definition of this run that replaces the stored one, as JSON text like that
     *     of {@link Definition}; null for its definition
     */
    record Run(@Nullable HostId host, boolean paused, Cause cause, @Nullable String definition)
            implements OperationParameters {

        /** Anywhere, by a user's order. */
        public static final Run DEFAULT = new Run(null, false, Cause.REQUEST);

        /** With its definition. */
        public Run(@Nullable HostId host, boolean paused, Cause cause) {
            this(host, paused, cause, null);
        }
    }

    /** The origin of a request to run a VM. */
    enum Cause {
        /** A person or program. */
        REQUEST,
        /** It is highly available and failed. */
        HIGH_AVAILABILITY,
        /** It went down to be started with its next configuration. */
        COLD_REBOOT,
        /**
         * Its host is silent and its lease names the host that may run it: it is run elsewhere
         * while no host knows its state.
         */
        LEASE,
        /** Its pool wants VMs that are ready to be used. */
        POOL
    }

    /**
     * How a VM is to be stopped. Of one that is powered off, only the message counts.
     *
     * @param message why, kept with the VM until it runs again; users of a guest that shuts down
     *     read it, too; may be empty
     * @param delaySeconds how long they have, at least 0
     */
    record Shutdown(String message, int delaySeconds) implements OperationParameters {

        /** At once, without a word. */
        public static final Shutdown DEFAULT = new Shutdown("", 0);
    }

    /**
     * How a guest is to be restarted.
     *
     * @param cold whether its process is to end, so that its next configuration takes effect
     */
    record Reboot(boolean cold) implements OperationParameters {}

    /**
     * Destination of a VM's migration.
     *
     * @param host the only destination that will do, null for any
     * @param cause reason why it leaves, one clause for people; empty for none
     */
    record Migrate(@Nullable HostId host, String cause) implements OperationParameters {

        /** Anywhere. */
        public static final Migrate DEFAULT = new Migrate(null, "");
    }

    /**
     * The user of a console. Only this user and the host receive the password; it is kept nowhere.
     *
     * @param user name of the user
     * @param userId the same as an identity, null if it has none
     * @param seconds how long the ticket is valid, at least 1
     * @param protocol protocol of the VM's console that it is for; null for the first console
     */
    record Console(
            String user, @Nullable UUID userId, int seconds, VmConsole.@Nullable Protocol protocol)
            implements OperationParameters {

        /** For the first console of the VM. */
        public Console(String user, @Nullable UUID userId, int seconds) {
            this(user, userId, seconds, null);
        }
    }

    /**
     * Which CD is to be in the drive.
     *
     * @param image absolute path of an image on the VM's host; null for no CD
     */
    record Cd(@Nullable String image) implements OperationParameters {}

    /**
     * Which device is to be plugged or unplugged.
     *
     * @param type its type
     * @param device its identity in the VM's definition
     */
    record Device(DeviceType type, UUID device) implements OperationParameters {}

    /** Types of devices that are plugged into VMs that run. */
    enum DeviceType {
        INTERFACE,
        DISK
    }

    /**
     * A definition to be added, or to replace another, as the JSON text of the request.
     *
     * @param definition the text, already found to be valid
     */
    record Definition(String definition) implements OperationParameters {}

    /**
     * Remaining work on a silent host.
     *
     * @param dryRun whether the operation only reports its steps and switches nothing
     */
    record Fence(boolean dryRun) implements OperationParameters {}
}
