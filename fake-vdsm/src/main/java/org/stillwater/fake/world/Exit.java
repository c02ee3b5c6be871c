package org.stillwater.fake.world;

import java.util.Arrays;

/** The ways in which a VM goes down: exit code, reason and usual message of §3.2. */
public enum Exit {
    /** It ended by itself. */
    SUCCESS("success", 0, 0, "VM terminated succesfully"),
    /** It ended with an error. */
    ERROR("error", 1, 1, "VM terminated with error"),
    /** The emulator died. */
    LOST_QEMU("lost-qemu", 1, 2, "Lost connection with qemu process"),
    /** It could not be started. */
    START_FAILED("start-failed", 1, 3, "failed to start libvirt vm"),
    /** It runs elsewhere now. */
    MIGRATED("migrated", 0, 4, "Migration succeeded"),
    /** It was hibernated. */
    SAVED("saved", 0, 5, "SaveState succeeded"),
    /** The engine ordered its shutdown. */
    ADMIN_SHUTDOWN("admin", 0, 6, "Admin shut down from the engine"),
    /** It was shut down from inside. */
    USER_SHUTDOWN("user", 0, 7, "User shut down from within the guest"),
    /** It did not arrive here. */
    MIGRATION_FAILED("migration-failed", 1, 8, "VM failed to migrate"),
    /** The hypervisor no longer knows it. */
    DOMAIN_MISSING("domain-missing", 1, 9, "Failed to find the libvirt domain"),
    /** It was destroyed while starting. */
    DESTROYED_ON_STARTUP("destroyed-on-startup", 0, 10, "VM destroyed during the startup"),
    /** The host is shutting down. */
    HOST_SHUTDOWN("host-shutdown", 1, 11, "VM has been terminated on the host"),
    /** Post-copy broke: it is lost on both hosts. */
    POSTCOPY_FAILED("postcopy-failed", 1, 12, "Migration failed in post-copy"),
    /** A cold reboot. */
    DESTROYED_ON_REBOOT("destroyed-on-reboot", 0, 13, "Down as a part of the reboot process"),
    /** It was paused for too long to be resumed. */
    PAUSED_TOO_LONG("paused-too-long", 1, 14, "Down because paused for too long");

    private final String code;
    private final int exitCode;
    private final int reason;
    private final String message;

    Exit(String code, int exitCode, int reason, String message) {
        this.code = code;
        this.exitCode = exitCode;
        this.reason = reason;
        this.message = message;
    }

    /** Its name on the control port. */
    public String code() {
        return code;
    }

    /**
     * The exit with this name on the control port.
     *
     * @throws IllegalArgumentException if there is none; the message lists all
     */
    public static Exit ofCode(String code) {
        for (Exit exit : values()) {
            if (exit.code.equals(code)) {
                return exit;
            }
        }
        throw new IllegalArgumentException(
                "unknown exit '%s'; one of %s"
                        .formatted(code, Arrays.stream(values()).map(Exit::code).toList()));
    }

    int exitCode() {
        return exitCode;
    }

    int reason() {
        return reason;
    }

    String message() {
        return message;
    }
}
