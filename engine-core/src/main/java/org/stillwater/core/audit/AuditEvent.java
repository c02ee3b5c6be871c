package org.stillwater.core.audit;

import static org.stillwater.core.audit.AuditSeverity.ALERT;
import static org.stillwater.core.audit.AuditSeverity.ERROR;
import static org.stillwater.core.audit.AuditSeverity.NORMAL;
import static org.stillwater.core.audit.AuditSeverity.WARNING;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.value.Coded;

/**
 * Audit events for administrators, with the numbers that oVirt's clients know (monitoring
 * specification §2.4, §4.4–4.9). Numbers from {@value #OWN_CODES} on are this engine's own.
 *
 * <p>The text is a template: {@code ${vm}} and {@code ${host}} are the names of the event's
 * subjects, any other name is one of the event's details. A flood interval drops repeats of the
 * same event about the same VM and host, and the same part of it, within it.
 *
 * <p>It is long because it is a table with a row for each event.
 */
public enum AuditEvent implements Coded {
    VDS_FAILURE(12, ERROR, "Host ${host} does not respond: ${cause}"),
    VDS_DETECTED(13, NORMAL, "Host ${host} is up"),
    VDS_RECOVER(14, NORMAL, "Host ${host} was fenced: ${reason}"),
    VDS_MAINTENANCE(15, NORMAL, "Host ${host} is in maintenance"),
    VDS_ACTIVATE(16, NORMAL, "Host ${host} was activated"),
    VDS_RECOVER_FAILED(19, ERROR, "Host ${host} could not be fenced: ${reason}"),
    VDS_LOW_DISK_SPACE(
            23,
            WARNING,
            "Host ${host} has ${freeMebibytes} MiB left in ${path}",
            Duration.ofMinutes(30),
            "path"),
    VDS_LOW_DISK_SPACE_ERROR(
            24,
            ERROR,
            "Host ${host} has only ${freeMebibytes} MiB left in ${path}",
            Duration.ofMinutes(30),
            "path"),
    VDS_NO_SELINUX_ENFORCEMENT(
            25, WARNING, "Host ${host} does not enforce SELinux: ${mode}", Duration.ofHours(1)),
    USER_VDC_LOGIN(30, NORMAL, "User ${user} logged in from ${address} by ${means}"),
    USER_VDC_LOGOUT(31, NORMAL, "User ${user} logged out"),
    USER_RUN_VM(32, NORMAL, "VM ${vm} was started on host ${host} by ${user}"),
    USER_STOP_VM(33, NORMAL, "VM ${vm} was powered off by ${user}"),
    USER_ADD_VM(34, NORMAL, "VM ${vm} was added by ${user}"),
    USER_UPDATE_VM(35, NORMAL, "The definition of VM ${vm} was changed by ${user}"),
    USER_REMOVE_VDS(44, NORMAL, "Host ${host} was removed"),
    USER_FAILED_RUN_VM(54, ERROR, "VM ${vm} could not be started: ${reason}"),
    USER_FAILED_STOP_VM(56, ERROR, "VM ${vm} could not be powered off: ${reason}"),
    VM_DOWN(61, NORMAL, "VM ${vm} is down. ${exitMessage}"),
    VM_MIGRATION_START(62, NORMAL, "A migration of VM ${vm} was requested by ${user}"),
    VM_MIGRATION_DONE(63, NORMAL, "VM ${vm} has migrated to host ${host}"),
    VM_MIGRATION_ABORT(64, ERROR, "The migration of VM ${vm} was aborted. ${exitMessage}"),
    VM_MIGRATION_FAILED(65, ERROR, "VM ${vm} could not migrate: ${reason}"),
    VDS_SOFT_RECOVER(75, NORMAL, "Host ${host} was recovered by restarting its agent"),
    USER_VDC_LOGIN_FAILED(114, ERROR, "A login as ${user} from ${address} failed"),
    VM_DOWN_ERROR(119, ERROR, "VM ${vm} is down with an error. ${exitMessage}"),
    VM_NOT_RESPONDING(126, WARNING, "VM ${vm} does not respond"),
    VDS_RUN_IN_NO_KVM_MODE(127, ERROR, "KVM does not work on host ${host}"),
    VM_PAUSED_ENOSPC(138, ERROR, "VM ${vm} was paused because its storage is full"),
    VM_PAUSED_ERROR(139, ERROR, "VM ${vm} was paused by an unknown storage error"),
    VM_SET_TO_UNKNOWN_STATUS(142, WARNING, "The state of VM ${vm} on host ${host} is unknown"),
    VM_WAS_SET_DOWN_DUE_TO_HOST_REBOOT_OR_MANUAL_FENCE(
            143, NORMAL, "VM ${vm} is down, because host ${host} was fenced or rebooted"),
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
    VM_FAILED_TO_PRESTART_IN_POOL(
            169,
            WARNING,
            "VM ${vm} of pool ${pool} could not be started ahead of its use: ${reason}",
            Duration.ofHours(1)),
    VM_BALLOON_DRIVER_ERROR(
            176, ERROR, "The balloon driver of VM ${vm} on host ${host} ignores its target"),
    VM_BALLOON_DRIVER_UNCONTROLLED(
            177, ERROR, "The balloon of VM ${vm} on host ${host} cannot be controlled"),
    VM_RECOVERED_FROM_PAUSE_ERROR(196, NORMAL, "VM ${vm} has recovered from its storage error"),
    USER_FAILED_SUSPEND_VM(502, ERROR, "VM ${vm} could not be suspended. ${exitMessage}"),
    USER_SUSPEND_VM_OK(503, NORMAL, "VM ${vm} is suspended"),
    VDS_INITIALIZING(514, WARNING, "The agent of host ${host} is recovering"),
    VDS_SET_NONOPERATIONAL(517, WARNING, "Host ${host} is non-operational: ${reason}"),
    VDS_LOW_MEM(
            531,
            WARNING,
            "Host ${host} has ${freeMebibytes} MiB of memory left, less than the"
                    + " ${thresholdMebibytes} MiB of its cluster",
            Duration.ofMinutes(30)),
    VDS_HIGH_MEM_USE(
            532,
            WARNING,
            "Host ${host} uses ${percent} % of its memory, more than ${thresholdPercent} %",
            Duration.ofMinutes(30)),
    VDS_HIGH_CPU_USE(
            534,
            WARNING,
            "Host ${host} uses ${percent} % of its CPUs, more than ${thresholdPercent} %",
            Duration.ofMinutes(30)),
    VDS_HIGH_SWAP_USE(
            535,
            WARNING,
            "Host ${host} uses ${percent} % of its swap space, more than ${thresholdPercent} %",
            Duration.ofMinutes(30)),
    VDS_LOW_SWAP(
            536,
            WARNING,
            "Host ${host} has ${freeMebibytes} MiB of swap space left",
            Duration.ofDays(1)),
    USER_VDS_MAINTENANCE(600, NORMAL, "Host ${host} is to go into maintenance. ${reason}"),
    VDS_SET_NONOPERATIONAL_IFACE_DOWN(
            603, WARNING, "Host ${host} is non-operational: ${interfaces} is down"),
    VDS_TIME_DRIFT_ALERT(
            604,
            WARNING,
            "The clock of host ${host} is ${seconds} s ${direction} the engine's",
            Duration.ofMinutes(30)),
    HOST_INTERFACE_HIGH_NETWORK_USE(
            608,
            WARNING,
            "Interface ${interface} of host ${host} is used at ${percent} %, more than"
                    + " ${thresholdPercent} %",
            Duration.ofMinutes(30),
            "interface"),
    HOST_INTERFACE_STATE_UP(609, NORMAL, "Interface ${interface} of host ${host} is up"),
    HOST_INTERFACE_STATE_DOWN(610, WARNING, "Interface ${interface} of host ${host} is down"),
    HOST_BOND_SLAVE_STATE_UP(
            611, NORMAL, "Interface ${interface} of bond ${bond} of host ${host} is up"),
    HOST_BOND_SLAVE_STATE_DOWN(
            612, WARNING, "Interface ${interface} of bond ${bond} of host ${host} is down"),
    /** The listener for kernel dumps of a host does not work. */
    FENCE_KDUMP_LISTENER_IS_NOT_ALIVE(
            613,
            ERROR,
            "Host ${host} is fenced without waiting for a kernel dump, because the engine cannot"
                    + " detect one: ${reason}"),
    KDUMP_FLOW_DETECTED_ON_VDS(614, NORMAL, "Host ${host} writes a kernel dump; fencing waits"),
    KDUMP_FLOW_NOT_DETECTED_ON_VDS(
            615, NORMAL, "Host ${host} sent no kernel dump message for ${seconds} s"),
    KDUMP_FLOW_FINISHED_ON_VDS(
            616, NORMAL, "Host ${host} has written its kernel dump and boots: ${reason}"),
    KDUMP_DETECTION_NOT_CONFIGURED_ON_VDS(
            617,
            WARNING,
            "Kernel dump detection is on for host ${host}, but kdump is not enabled there"),
    VM_PAUSED(1025, NORMAL, "VM ${vm} is paused"),
    VDS_ALERT_FENCE_OPERATION_SKIPPED(
            9003,
            ALERT,
            "Host ${host} does not respond and is not fenced yet, because the engine has just"
                    + " started"),
    VDS_HOST_NOT_RESPONDING_CONNECTING(
            9008,
            WARNING,
            "Host ${host} does not respond (${cause}); if that lasts for more than ${seconds} s,"
                    + " it becomes non-responsive and is fenced"),
    VDS_ALERT_FENCE_OPERATION_SKIPPED_BROKEN_CONNECTIVITY(
            9013,
            ALERT,
            "Host ${host} does not respond and is not fenced, because too many hosts of its"
                    + " cluster are silent"),
    VDS_ALERT_FENCE_DISABLED_BY_CLUSTER_POLICY(
            9015,
            ALERT,
            "Host ${host} does not respond and is not fenced, because its cluster forbids"
                    + " fencing"),
    VDS_HOST_NOT_RESPONDING(
            9027,
            WARNING,
            "Host ${host} does not respond (${cause}); if that lasts for more than ${seconds} s,"
                    + " it becomes non-responsive",
            Duration.ofMinutes(3)),
    HA_VM_FAILED(9602, ERROR, "Highly available VM ${vm} failed; it will be started again"),
    HA_VM_RESTART_FAILED(
            9603, ERROR, "Highly available VM ${vm} could not be started again: ${reason}"),
    COLD_REBOOT_VM_DOWN(9611, NORMAL, "VM ${vm} is down as part of a cold reboot"),
    COLD_REBOOT_FAILED(9612, ERROR, "VM ${vm} could not be started after a cold reboot: ${reason}"),
    EXCEEDED_MAXIMUM_NUM_OF_COLD_REBOOT_VM_ATTEMPTS(
            9613,
            ERROR,
            "VM ${vm} could not be started after a cold reboot and is given up: ${reason}"),
    /** Event of another program. */
    EXTERNAL_EVENT_NORMAL(9801, NORMAL, "${message}"),
    EXTERNAL_EVENT_WARNING(9802, WARNING, "${message}"),
    EXTERNAL_EVENT_ERROR(9803, ERROR, "${message}"),
    EXTERNAL_ALERT(9804, ALERT, "${message}"),
    WATCHDOG_EVENT(9901, WARNING, "The watchdog of VM ${vm} fired: ${action} at ${time}"),
    VDS_UNKNOWN_HOST(10_804, ERROR, "The address of host ${host} is not known: ${cause}"),
    /** A host runs an unknown VM; the engine has added it. */
    EXTERNAL_VM_ADDED(100_001, NORMAL, "VM ${vm} was found on host ${host} and added"),
    /** A host runs VMs that are not shown: their definitions could not be read or saved. */
    EXTERNAL_VMS_NOT_ADDED(
            100_080,
            WARNING,
            "Host ${host} runs VMs that could not be added (${count}): ${reason}",
            Duration.ofHours(1)),
    /** A VM appeared on a host without a migration that the engine knew of. */
    VM_MOVED_UNEXPECTEDLY(100_002, WARNING, "VM ${vm} runs unexpectedly on host ${host}"),
    /** A VM with a process was removed from a host where it must not be. */
    VM_LEFTOVER_DESTROYED(
            100_003,
            WARNING,
            "Orphaned VM ${vm} was removed from host ${host}: ${why}",
            Duration.ofMinutes(1)),
    /** The monitor of a host was stuck and was restarted. */
    HOST_MONITOR_REVIVED(
            100_004,
            WARNING,
            "Monitoring of host ${host} was stuck for ${seconds} s in ${task} and was restarted"),
    /** An operation on a VM was requested. */
    VM_OPERATION_ASKED(100_005, NORMAL, "${operation} of VM ${vm} was requested by ${user}"),
    /** An operation on a VM succeeded. */
    VM_OPERATION_DONE(100_006, NORMAL, "${operation} of VM ${vm} is done"),
    /** An operation on a VM failed. */
    VM_OPERATION_FAILED(100_007, ERROR, "${operation} of VM ${vm} failed: ${reason}"),
    /** VMs leave a host. */
    HOST_OPERATION_BEGUN(100_008, NORMAL, "${operation} of host ${host} has begun: ${reason}"),
    /** VMs left a host, or it was fenced. */
    HOST_OPERATION_DONE(100_009, NORMAL, "${operation} of host ${host} is done: ${reason}"),
    /** VMs did not leave a host, or it was not fenced. */
    HOST_OPERATION_FAILED(100_010, WARNING, "${operation} of host ${host} failed: ${reason}"),
    /** A VM that was down or suspended runs, and no operation of the engine started it. */
    VM_STARTED_OUTSIDE_ENGINE(
            100_070,
            WARNING,
            "VM ${vm} was ${status} and runs on host ${host}; no operation of the engine started"
                    + " it"),
    /**
     * A VM is to have a lease, and its process is not known to hold it while its host is silent.
     */
    VM_LEASE_NOT_HELD(
            100_071,
            WARNING,
            "VM ${vm} is not started elsewhere by its lease while host ${host} is silent: no lease"
                + " that the engine created is known to be held by its process. It gets one when it"
                + " is started the next time",
            Duration.ofHours(1)),
    /** The deletion of an unneeded lease failed; the engine repeats it. */
    VM_LEASE_NOT_DELETED(
            100_072,
            WARNING,
            "The lease ${lease} on storage domain ${domain} could not be deleted yet: ${reason}"),
    /** A host claims to run a VM for which another host is responsible (ADR 0032). */
    VM_CONTESTED(
            100_030,
            WARNING,
            "Host ${host} reports VM ${vm}, for which host ${responsible} is responsible",
            Duration.ofMinutes(1)),
    /** The responsible host runs the VM itself. */
    VM_CLAIM_REFUSED(
            100_031,
            WARNING,
            "The report of host ${host} about VM ${vm} is ignored: host ${responsible} runs it",
            Duration.ofMinutes(1)),
    /** A host claims more VMs of other hosts than the limit. */
    HOST_CLAIMS_TOO_MANY_VMS(
            100_032,
            ERROR,
            "Host ${host} reports more than ${limit} VMs of other hosts",
            Duration.ofMinutes(15)),
    /** A user dismissed an event. */
    EVENT_DISMISSED(100_021, NORMAL, "Event ${event} was dismissed by ${user}"),
    /** All dismissed events are visible again. */
    EVENTS_RESTORED(100_022, NORMAL, "Events that were dismissed were restored by ${user}"),
    /** A host is pinned to its first certificate, which does not name it. */
    HOST_CERTIFICATE_PINNED(
            100_035,
            WARNING,
            "Host ${host} is identified by its certificate ${fingerprint} from now on, which does"
                    + " not name its address ${address}; subject: ${subject} ${remark}"),
    /** A host shows a certificate that is not its own. */
    HOST_CERTIFICATE_REFUSED(
            100_036,
            ALERT,
            "Host ${host} is refused until its certificate ${fingerprint} is confirmed: ${why}."
                    + " Accepted last: ${known}; subject now: ${subject}",
            Duration.ofMinutes(1)),
    /** An administrator confirmed a host's certificate. */
    HOST_CERTIFICATE_CONFIRMED(
            100_037,
            WARNING,
            "Certificate ${fingerprint} of host ${host} was confirmed by ${user}; accepted until"
                    + " then: ${known}"),
    /** A host has a new certificate that names it. */
    HOST_CERTIFICATE_RENEWED(
            100_038,
            NORMAL,
            "Host ${host} has a new certificate ${fingerprint}, which names its address ${address};"
                    + " before: ${known}",
            Duration.ofMinutes(1)),
    /** A host is not fenced, because something answers at its address that may not be the host. */
    HOST_CERTIFICATE_HOLDS_FENCING(
            100_039,
            ALERT,
            "Host ${host} is not fenced while a certificate is refused: confirm the host's"
                    + " certificate or trust its authority, or fence the host by hand"),
    /** A defined fence agent breaks a rule or its key is missing, so that it is not run. */
    FENCE_AGENT_REFUSED(100_045, ERROR, "${agent} of host ${host} is not run: ${reason}"),
    /** Stored secrets got another key. */
    SECRETS_ENCRYPTED(
            100_046, NORMAL, "${count} stored secrets were encrypted with key ${key} by ${user}"),
    /** Stored secrets have a missing key. */
    SECRETS_UNREADABLE(
            100_047,
            ERROR,
            "${user} found ${count} stored secrets that cannot be decrypted: ${reason}"),
    /** A browser sent a request for a page of another origin. */
    ORIGIN_REFUSED(
            100_050,
            WARNING,
            "A request from ${address} for a page of ${origin} was refused: pages of other origins"
                    + " may not act here",
            Duration.ofMinutes(1)),
    /** A request named a host that the engine does not answer to. */
    HOST_NAME_REFUSED(
            100_051,
            WARNING,
            "A request from ${address} for host name ${name} was refused",
            Duration.ofMinutes(1)),
    /** The settings were reloaded while the engine runs. */
    SETTINGS_RELOADED(100_120, NORMAL, "The settings were reloaded: ${message}"),
    /** The reloaded settings are invalid; the former ones stay in force. */
    SETTINGS_REFUSED(100_121, WARNING, "The reloaded settings are rejected: ${message}"),
    /** A host sends more than the limit for one host. */
    HOST_FLOODS(
            100_040,
            WARNING,
            "Host ${host} sends more ${what} than one host may; polls replace the excess",
            Duration.ofMinutes(10)),
    /** As {@link #HOST_FLOODS}, no longer. */
    HOST_FLOOD_ENDED(
            100_041,
            NORMAL,
            "Host ${host} is within the limit for one host again",
            Duration.ofMinutes(10)),
    /** Events caused by one host's reports were not recorded one by one. */
    HOST_ENTRIES_LEFT_OUT(
            100_042,
            WARNING,
            "Host ${host} caused ${count} more events that were not recorded one by one: ${kinds}"),
    /** A relay reports the VMs of a host; the engine no longer polls the host. */
    HOST_PUSHED(
            100_090,
            NORMAL,
            "A relay reports the VMs of host ${host}; the engine does not poll them",
            Duration.ofMinutes(1)),
    /** As {@link #HOST_PUSHED}, no longer. */
    HOST_POLLED_AGAIN(
            100_091,
            WARNING,
            "The engine polls host ${host} itself: ${reason}",
            Duration.ofMinutes(1)),
    /** Too many logins with a name failed: further ones with it have to wait. */
    USER_LOGINS_SLOWED(
            100_055,
            WARNING,
            "Logins as ${user} are slowed: ${failures} failed, the last from ${address}",
            Duration.ofMinutes(5),
            "user"),
    /** Too many logins from an address failed: further ones from there have to wait. */
    ADDRESS_LOGINS_SLOWED(
            100_056,
            WARNING,
            "Logins from ${address} are slowed: ${failures} failed",
            Duration.ofMinutes(5),
            "address"),
    /** A user or an address has the maximal number of sessions; outcome of the next one. */
    SESSIONS_LIMITED(
            100_057,
            WARNING,
            "A session of ${user} from ${address} was ${outcome}: the limit of sessions is reached",
            Duration.ofMinutes(5),
            "user"),
    /** A user chose a password instead of one that was only good for that. */
    FIRST_PASSWORD_CHANGED(
            100_058, NORMAL, "${user} chose a password instead of the one that had to be changed"),
    /** An address has as many connections as it may have, or sends too slowly. */
    CONNECTIONS_LIMITED(
            100_059,
            WARNING,
            "${count} connections from ${address} were ended: ${why}",
            Duration.ofMinutes(5),
            "address"),
    /** An object of the fleet became slower and stays so. */
    REGRESSION_FOUND(
            100_060,
            WARNING,
            "Regression of ${object}: ${change} since ${begin}; members: ${members}, affected VMs:"
                    + " ${vms}. ${coincidence}"),
    /** As {@link #REGRESSION_FOUND}, no longer. */
    REGRESSION_ENDED(
            100_061, NORMAL, "The regression of ${object} since ${begin} ended: ${ending}"),
    /**
     * Work of the engine waited for its turn; the detail {@code stack} describes the work before
     * it.
     */
    ENGINE_STALLED(
            100_062, WARNING, "The engine stalled: ${what} waited for ${millis} ms. ${cause}"),
    /** The condition of a rule that users defined has lasted. */
    ALERT_FIRED(100_063, WARNING, "Alert ${alert} about ${object}: ${expr}; value: ${value}"),
    /** As {@link #ALERT_FIRED}, no longer. */
    ALERT_RESOLVED(100_064, NORMAL, "Alert ${alert} about ${object} ended: ${resolution}"),
    /** A benchmark run was permitted, and its result did not come in time. */
    BENCHMARK_LOST(
            100_065,
            WARNING,
            "The benchmark run of ${object} that was permitted at ${granted} was not posted"),
    /** A host reports another version of its agent, kernel, QEMU or libvirt. */
    HOST_SOFTWARE_CHANGED(100_066, NORMAL, "The software of host ${host} changed: ${change}"),
    /** A host booted since its last report. */
    HOST_BOOTED(100_067, NORMAL, "Host ${host} booted"),
    /** A link of a host has another speed. */
    HOST_LINK_SPEED_CHANGED(
            100_068,
            NORMAL,
            "The link of interface ${interface} of host ${host} changed from ${before} to ${now}"
                    + " Mbit/s"),
    /** A user may log in from now on. */
    USER_ADDED(100_103, NORMAL, "User ${subject} was added by ${user}"),
    /** Password, grants or state of a user. */
    USER_CHANGED(100_104, NORMAL, "User ${subject} was changed by ${user}: ${what}"),
    /** A user may log in no longer. */
    USER_REMOVED(100_105, NORMAL, "User ${subject} was removed by ${user}"),
    /** A program may act for a user from now on. */
    TOKEN_MADE(100_106, NORMAL, "Token ${label} of user ${subject} was made by ${user}"),
    /** A program may act for a user no longer. */
    TOKEN_REVOKED(100_107, NORMAL, "Token ${label} of user ${subject} was revoked by ${user}"),
    /** A change of hosts, clusters, pools or groups was requested. */
    CHANGE_ASKED(100_108, NORMAL, "${request} was requested by ${user}; answer ${status}"),
    /** A XAPI pool is watched from now on. */
    XAPI_POOL_ADDED(
            100_109, NORMAL, "XAPI pool ${pool} (${id}) at ${addresses} was added by ${user}"),
    /** Addresses, login, authorities or encodings of a XAPI pool. */
    XAPI_POOL_CHANGED(100_110, NORMAL, "XAPI pool ${pool} was changed by ${user}: ${what}"),
    /** A XAPI pool is watched no longer; its hosts and VMs leave the inventory. */
    XAPI_POOL_REMOVED(
            100_111,
            NORMAL,
            "XAPI pool ${pool} was removed by ${user}, with ${hosts} hosts and ${vms} VMs");

    /** The first number of events that only this engine has. */
    public static final int OWN_CODES = 100_001;

    private static final Pattern VALUE = Pattern.compile("\\$\\{([A-Za-z]+)}");

    private static final Map<Integer, AuditEvent> BY_CODE = Coded.byCode(AuditEvent.class);

    private final int code;
    private final AuditSeverity severity;
    private final String template;
    private final Duration flood;
    private final @Nullable String part;

    AuditEvent(int code, AuditSeverity severity, String template) {
        this(code, severity, template, Duration.ZERO);
    }

    AuditEvent(int code, AuditSeverity severity, String template, Duration flood) {
        this(code, severity, template, flood, null);
    }

    AuditEvent(
            int code,
            AuditSeverity severity,
            String template,
            Duration flood,
            @Nullable String part) {
        this.part = part;
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

    /** Its severity. */
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

    /**
     * The part of the VM or host that an entry is about, an interface for example: repeats about
     * another part are no repeats. Null for events that are about the whole.
     */
    public @Nullable String partOf(Map<String, String> details) {
        return part == null ? null : details.get(part);
    }

    /** Time within which repeats about the same subject are dropped; zero for none. */
    public Duration flood() {
        return flood;
    }
}
