package org.stillwater.core.model;

import static org.stillwater.core.model.AuditSeverity.ERROR;
import static org.stillwater.core.model.AuditSeverity.NORMAL;
import static org.stillwater.core.model.AuditSeverity.WARNING;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What monitoring tells people, with the numbers that oVirt's clients know (monitoring
 * specification §2.4, §4.4–4.9). Numbers from {@value #OWN_CODES} on are this engine's own.
 *
 * <p>The text is a template: {@code ${vm}} and {@code ${host}} are the names of what the event is
 * about, any other name is one of the event's details. A flood interval drops repeats of the same
 * event about the same VM and host within it.
 */
public enum AuditEvent implements Coded {
    VM_DOWN(61, NORMAL, "VM ${vm} is down. ${exitMessage}"),
    VM_MIGRATION_ABORT(64, ERROR, "The migration of VM ${vm} was aborted. ${exitMessage}"),
    VM_DOWN_ERROR(119, ERROR, "VM ${vm} is down with an error. ${exitMessage}"),
    VM_NOT_RESPONDING(126, WARNING, "VM ${vm} does not respond"),
    VM_PAUSED_ENOSPC(138, ERROR, "VM ${vm} was paused because its storage is full"),
    VM_PAUSED_ERROR(139, ERROR, "VM ${vm} was paused by an unknown storage error"),
    VM_SET_TO_UNKNOWN_STATUS(142, WARNING, "It is not known how VM ${vm} on host ${host} fares"),
    VM_PAUSED_EIO(145, ERROR, "VM ${vm} was paused by a storage input/output error"),
    VM_PAUSED_EPERM(146, ERROR, "VM ${vm} was paused by a storage permission error"),
    VM_POWER_DOWN_FAILED(147, WARNING, "VM ${vm} did not shut down; it is up again"),
    VM_MEMORY_UNDER_GUARANTEED_VALUE(
            148,
            ERROR,
            "VM ${vm} on host ${host} has ${currentMebibytes} MiB, less than the"
                    + " ${guaranteedMebibytes} MiB guaranteed to it",
            Duration.ofMinutes(15)),
    USER_REBOOT_VM(157, NORMAL, "VM ${vm} was rebooted by ${user}"),
    VM_STATUS_RESTORED(163, NORMAL, "The status of VM ${vm} is known again: ${status}"),
    VM_CONSOLE_CONNECTED(167, NORMAL, "User ${user} is connected to VM ${vm}"),
    VM_CONSOLE_DISCONNECTED(168, NORMAL, "User ${user} is disconnected from VM ${vm}"),
    VM_BALLOON_DRIVER_ERROR(
            176, ERROR, "The balloon driver of VM ${vm} on host ${host} ignores its target"),
    VM_BALLOON_DRIVER_UNCONTROLLED(
            177, ERROR, "The balloon of VM ${vm} on host ${host} cannot be controlled"),
    VM_RECOVERED_FROM_PAUSE_ERROR(196, NORMAL, "VM ${vm} has recovered from its storage error"),
    USER_FAILED_SUSPEND_VM(502, ERROR, "VM ${vm} could not be suspended. ${exitMessage}"),
    USER_SUSPEND_VM_OK(503, NORMAL, "VM ${vm} is suspended"),
    VM_PAUSED(1025, NORMAL, "VM ${vm} is paused"),
    HA_VM_FAILED(9602, ERROR, "Highly available VM ${vm} failed; it will be started again"),
    COLD_REBOOT_VM_DOWN(9611, NORMAL, "VM ${vm} is down as part of a cold reboot"),
    WATCHDOG_EVENT(9901, WARNING, "The watchdog of VM ${vm} fired: ${action} at ${time}"),
    /** A host runs a VM that was not known; it is known now. */
    EXTERNAL_VM_ADDED(100_001, NORMAL, "VM ${vm} was found on host ${host} and taken in"),
    /** A VM appeared on a host without a migration that the engine knew of. */
    VM_MOVED_UNEXPECTEDLY(100_002, WARNING, "VM ${vm} runs on host ${host}, unexpectedly"),
    /** A VM with a process was removed from a host where it must not be. */
    VM_LEFTOVER_DESTROYED(
            100_003,
            WARNING,
            "A leftover of VM ${vm} was removed from host ${host}: ${why}",
            Duration.ofMinutes(1));

    /** The first number of events that only this engine has. */
    public static final int OWN_CODES = 100_001;

    private static final Pattern VALUE = Pattern.compile("\\$\\{([A-Za-z]+)}");

    private static final Map<Integer, AuditEvent> BY_CODE = Coded.byCode(AuditEvent.class);

    private final int code;
    private final AuditSeverity severity;
    private final String template;
    private final Duration flood;

    AuditEvent(int code, AuditSeverity severity, String template) {
        this(code, severity, template, Duration.ZERO);
    }

    AuditEvent(int code, AuditSeverity severity, String template, Duration flood) {
        this.code = code;
        this.severity = severity;
        this.template = template;
        this.flood = flood;
    }

    /**
     * The event with this number.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static AuditEvent ofCode(int code) {
        AuditEvent event = BY_CODE.get(code);
        if (event == null) {
            throw new IllegalArgumentException("no audit event has code " + code);
        }
        return event;
    }

    @Override
    public int code() {
        return code;
    }

    /** How grave it is. */
    public AuditSeverity severity() {
        return severity;
    }

    /** The text, with names of values in <code>${…}</code>. */
    public String template() {
        return template;
    }

    /** Names of the values in the text, in order. */
    public List<String> placeholders() {
        return VALUE.matcher(template).results().map(match -> match.group(1)).distinct().toList();
    }

    /** The text with these values; a value that is missing leaves nothing behind. */
    String text(Map<String, String> values) {
        return VALUE.matcher(template)
                .replaceAll(
                        match -> Matcher.quoteReplacement(values.getOrDefault(match.group(1), "")))
                .strip();
    }

    /** Time within which repeats about the same subject are dropped; zero for none. */
    public Duration flood() {
        return flood;
    }
}
