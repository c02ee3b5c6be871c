package org.stillwater.core.vm;

import static org.stillwater.core.vm.RuntimeField.Absence.CLEARS;
import static org.stillwater.core.vm.RuntimeField.Absence.KEEPS;
import static org.stillwater.core.vm.RuntimeField.Reset.NEVER;
import static org.stillwater.core.vm.RuntimeField.Reset.WHEN_NOT_RUNNING;
import static org.stillwater.core.vm.RuntimeField.Reset.WHEN_NOT_RUNNING_OR_UNKNOWN;

import org.jspecify.annotations.Nullable;
import org.stillwater.core.text.TextLimit;

/**
 * The one table of the runtime values that hosts report about a VM: origin, type, column and reset
 * of each. Decoding, diffing, applying, SQL and the reference page are all driven by these rows;
 * adding a monitored field is adding one row here and one column in the schema.
 *
 * <p>Every row is compared, applied and persisted: a field that is compared but not applied would
 * be "changed" in each cycle, and one that is applied but not persisted would be lost at restart.
 * Values that change every cycle are no runtime: they live in {@code VmStatistics}. Values that the
 * engine decides are no runtime either: they live in {@link VmPlacement}.
 *
 * <p>Source: monitoring specification §1.2 (meaning, columns), §4.6 (cleared fields), protocol
 * specification §3.3 (wire).
 */
@SuppressWarnings(
        "ImmutableEnumChecker") // default values are enums, text, numbers and GuestNics, all
// immutable
public enum RuntimeField {
    STATUS("status", "", FieldType.VM_STATUS, "status", VmStatus.DOWN, CLEARS, NEVER),
    PAUSE_STATUS(
            "pauseCode",
            "",
            FieldType.PAUSE_STATUS,
            "pause_status",
            PauseStatus.NONE,
            CLEARS,
            WHEN_NOT_RUNNING),
    EXIT_STATUS(
            "exitCode", "", FieldType.EXIT_STATUS, "exit_status", ExitStatus.NORMAL, CLEARS, NEVER),
    EXIT_REASON(
            "exitReason",
            "",
            FieldType.EXIT_REASON,
            "exit_reason",
            ExitReason.UNKNOWN,
            CLEARS,
            NEVER),
    EXIT_MESSAGE(
            "exitMessage",
            "",
            FieldType.TEXT,
            TextLimit.plain(4_000),
            "exit_message",
            null,
            CLEARS,
            NEVER),
    ACPI_ENABLED("acpiEnable", "", FieldType.BOOLEAN, "acpi_enable", true, CLEARS, NEVER),
    /** Offset of the guest's real-time clock. */
    UTC_DIFF("timeOffset", "s", FieldType.INTEGER, "utc_diff", null, KEEPS, NEVER),
    /** Address of the console client; null when never reported, empty without a connection. */
    CLIENT_IP(
            "clientIp",
            "",
            FieldType.TEXT,
            TextLimit.NAME,
            "client_ip",
            null,
            CLEARS,
            WHEN_NOT_RUNNING_OR_UNKNOWN),
    CURRENT_CD(
            "cdrom", "", FieldType.TEXT, TextLimit.plain(4_000), "current_cd", null, KEEPS, NEVER),
    SPICE_IP(
            "displayInfo[spice].ipAddress",
            "",
            FieldType.TEXT,
            TextLimit.NAME,
            "spice_ip",
            null,
            CLEARS,
            WHEN_NOT_RUNNING_OR_UNKNOWN),
    SPICE_PORT(
            "displayInfo[spice].port",
            "",
            FieldType.INTEGER,
            "spice_port",
            null,
            CLEARS,
            WHEN_NOT_RUNNING_OR_UNKNOWN),
    SPICE_TLS_PORT(
            "displayInfo[spice].tlsPort",
            "",
            FieldType.INTEGER,
            "spice_tls_port",
            null,
            CLEARS,
            WHEN_NOT_RUNNING_OR_UNKNOWN),
    VNC_IP(
            "displayInfo[vnc].ipAddress",
            "",
            FieldType.TEXT,
            TextLimit.NAME,
            "vnc_ip",
            null,
            CLEARS,
            WHEN_NOT_RUNNING_OR_UNKNOWN),
    VNC_PORT(
            "displayInfo[vnc].port",
            "",
            FieldType.INTEGER,
            "vnc_port",
            null,
            CLEARS,
            WHEN_NOT_RUNNING_OR_UNKNOWN),
    /**
     * Has a column of its own here; without one, a host that reports it would always differ from
     * the database.
     */
    VNC_TLS_PORT(
            "displayInfo[vnc].tlsPort",
            "",
            FieldType.INTEGER,
            "vnc_tls_port",
            null,
            CLEARS,
            WHEN_NOT_RUNNING_OR_UNKNOWN),
    /** Time of the last watchdog event; a report without one keeps the known value. */
    LAST_WATCHDOG_EVENT(
            "watchdogEvent.time",
            "s since epoch",
            FieldType.LONG,
            "last_watchdog_event",
            null,
            KEEPS,
            NEVER),
    LAST_WATCHDOG_ACTION(
            "watchdogEvent.action",
            "",
            FieldType.TEXT,
            TextLimit.NAME,
            "last_watchdog_action",
            null,
            KEEPS,
            NEVER),
    GUEST_USER(
            "username",
            "",
            FieldType.TEXT,
            TextLimit.NAME,
            "guest_cur_user_name",
            null,
            CLEARS,
            WHEN_NOT_RUNNING_OR_UNKNOWN),
    SESSION("session", "", FieldType.GUEST_SESSION, "session", GuestSession.UNKNOWN, CLEARS, NEVER),
    GUEST_CPU_COUNT(
            "guestCPUCount", "CPUs", FieldType.INTEGER, "guest_cpu_count", null, CLEARS, NEVER),
    /** Installed applications, comma-joined. */
    APP_LIST(
            "appsList",
            "",
            FieldType.TEXT,
            new TextLimit(65_536, 4_096),
            "app_list",
            null,
            CLEARS,
            NEVER),
    /**
     * Trimmed; {@code localhost} and {@code localhost.localdomain} are no names and become null.
     */
    FQDN(
            "guestFQDN",
            "",
            FieldType.TEXT,
            TextLimit.NAME,
            "vm_fqdn",
            null,
            CLEARS,
            WHEN_NOT_RUNNING_OR_UNKNOWN),
    GUEST_HOST_NAME(
            "guestName", "", FieldType.TEXT, TextLimit.NAME, "vm_host", null, CLEARS, NEVER),
    /** Kept when the VM stops, on purpose: clients choose icons by it. */
    GUEST_OS("guestOs", "", FieldType.TEXT, TextLimit.NAME, "guest_os", null, CLEARS, NEVER),
    GUEST_OS_TYPE(
            "guestOsInfo.type",
            "",
            FieldType.TEXT,
            TextLimit.NAME,
            "guestos_type",
            "Other",
            CLEARS,
            NEVER),
    /** The text reported, for example {@code x86_64}. */
    GUEST_OS_ARCH(
            "guestOsInfo.arch",
            "",
            FieldType.TEXT,
            TextLimit.NAME,
            "guestos_arch",
            null,
            CLEARS,
            NEVER),
    GUEST_OS_KERNEL(
            "guestOsInfo.kernel",
            "",
            FieldType.TEXT,
            TextLimit.NAME,
            "guestos_kernel_version",
            null,
            CLEARS,
            NEVER),
    GUEST_OS_DISTRIBUTION(
            "guestOsInfo.distribution",
            "",
            FieldType.TEXT,
            TextLimit.NAME,
            "guestos_distribution",
            null,
            CLEARS,
            NEVER),
    GUEST_OS_VERSION(
            "guestOsInfo.version",
            "",
            FieldType.TEXT,
            TextLimit.NAME,
            "guestos_version",
            null,
            CLEARS,
            NEVER),
    GUEST_OS_CODENAME(
            "guestOsInfo.codename",
            "",
            FieldType.TEXT,
            TextLimit.NAME,
            "guestos_codename",
            null,
            CLEARS,
            NEVER),
    GUEST_TIMEZONE_NAME(
            "guestTimezone.zone",
            "",
            FieldType.TEXT,
            TextLimit.NAME,
            "guest_timezone_name",
            null,
            CLEARS,
            NEVER),
    GUEST_TIMEZONE_OFFSET(
            "guestTimezone.offset",
            "min",
            FieldType.INTEGER,
            "guest_timezone_offset",
            null,
            CLEARS,
            NEVER),
    /** JSON text, members in the order reported. */
    GUEST_CONTAINERS(
            "guestContainers",
            "JSON",
            FieldType.TEXT,
            new TextLimit(65_536, 1_024),
            "guest_containers",
            null,
            CLEARS,
            NEVER),
    /** Events never carry interfaces, so an event keeps the known value. */
    GUEST_NICS(
            "netIfaces",
            "",
            FieldType.GUEST_NICS,
            new TextLimit(65_536, 1_024),
            "guest_agent_nics_hash",
            GuestNics.NONE,
            CLEARS,
            WHEN_NOT_RUNNING_OR_UNKNOWN),
    /**
     * Space-joined addresses, derived from {@link #GUEST_NICS} by {@code GuestAddresses}; never
     * decoded.
     */
    GUEST_IPS(
            null,
            "",
            FieldType.TEXT,
            new TextLimit(16_384, 1_024),
            "vm_ip",
            null,
            KEEPS,
            WHEN_NOT_RUNNING_OR_UNKNOWN);

    /** Meaning of a poll without the field. In an event, an absent field is always unchanged. */
    public enum Absence {
        /** The default value. */
        CLEARS,
        /** No news. */
        KEEPS
    }

    /** When the engine forgets the value by itself (monitoring specification §4.6). */
    public enum Reset {
        NEVER,
        WHEN_NOT_RUNNING,
        WHEN_NOT_RUNNING_OR_UNKNOWN
    }

    private final @Nullable String wire;
    private final String unit;
    private final FieldType type;
    private final @Nullable TextLimit limit;
    private final String column;
    private final @Nullable Object defaultValue;
    private final Absence absence;
    private final Reset reset;

    RuntimeField(
            @Nullable String wire,
            String unit,
            FieldType type,
            String column,
            @Nullable Object defaultValue,
            Absence absence,
            Reset reset) {
        this(wire, unit, type, null, column, defaultValue, absence, reset);
    }

    /** A text, or a value made of texts. */
    RuntimeField(
            @Nullable String wire,
            String unit,
            FieldType type,
            @Nullable TextLimit limit,
            String column,
            @Nullable Object defaultValue,
            Absence absence,
            Reset reset) {
        this.wire = wire;
        this.unit = unit;
        this.type = type;
        this.limit = limit;
        this.column = column;
        this.defaultValue = defaultValue;
        this.absence = absence;
        this.reset = reset;
    }

    /**
     * Path of the value in a report: member names joined by dots, {@code [x]} selects the list
     * element with the {@code type} x. Null for a field that the engine derives.
     */
    public @Nullable String wire() {
        return wire;
    }

    /** Unit of the value, empty for none. */
    public String unit() {
        return unit;
    }

    /** How the value is held and stored. */
    public FieldType type() {
        return type;
    }

    /** Limit of a reported text; decoding cuts longer ones. Null for a field that is no text. */
    public @Nullable TextLimit limit() {
        return limit;
    }

    /**
     * Most characters kept.
     *
     * @throws IllegalStateException if this is no text
     */
    public int mostCharacters() {
        if (limit == null) {
            throw new IllegalStateException(this + " is no text");
        }
        return limit.characters();
    }

    /**
     * Most entries kept of a list.
     *
     * @throws IllegalStateException if this is no text
     */
    public int mostEntries() {
        if (limit == null) {
            throw new IllegalStateException(this + " is no text");
        }
        return limit.entries();
    }

    /** Column of {@code vm_dynamic}. */
    public String column() {
        return column;
    }

    /** Value of a VM about which nothing was reported. */
    public @Nullable Object defaultValue() {
        return defaultValue;
    }

    /** Meaning of a poll without this field. */
    public Absence absence() {
        return absence;
    }

    /** When the engine forgets the value. */
    public Reset reset() {
        return reset;
    }

    /** Position in memory; never stored, so rows may be reordered. */
    @SuppressWarnings("EnumOrdinal") // an index into arrays of this process only
    int slot() {
        return ordinal();
    }
}
