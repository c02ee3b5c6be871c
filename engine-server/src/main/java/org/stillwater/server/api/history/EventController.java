package org.stillwater.server.api.history;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.Base64;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.Role;
import org.stillwater.core.audit.AuditEntry;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.audit.AuditFilter;
import org.stillwater.core.audit.AuditSeverity;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.monitoring.audit.AuditReader;
import org.stillwater.server.api.rows.VisiblePage;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.server.api.web.CallerScope;
import org.stillwater.server.api.web.Ids;
import org.stillwater.server.settings.RestSettings;

/**
 * Audit events, newest first: {@code /api/v1/events}. Answered from memory as long as the newest
 * entries suffice, else from the database; the only reads that may need it.
 */
@RestController
@RequestMapping("/api/v1/events")
class EventController {

    private static final Map<String, AuditSeverity> SEVERITIES =
            Arrays.stream(AuditSeverity.values())
                    .collect(Collectors.toUnmodifiableMap(AuditSeverity::label, it -> it));

    private static final Map<String, AuditEvent> EVENTS =
            Arrays.stream(AuditEvent.values())
                    .collect(Collectors.toUnmodifiableMap(AuditEvent::name, it -> it));

    /** Pages of the log that are looked through for a caller that may see little of it. */
    private static final int MOST_LOOKS = 20;

    private static final Instant EARLIEST = Instant.EPOCH;
    private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59Z");

    private final AuditReader log;
    private final RestSettings settings;
    private final CallerScope scope;

    EventController(AuditReader log, RestSettings settings, CallerScope scope) {
        this.scope = scope;
        this.log = log;
        this.settings = settings;
    }

    @GetMapping
    HistoryJsonModule.Events list(
            @RequestParam(defaultValue = "") String vm,
            @RequestParam(defaultValue = "") String host,
            @RequestParam(defaultValue = "") String severity,
            @RequestParam(defaultValue = "") String event,
            @RequestParam(defaultValue = "") String since,
            @RequestParam(defaultValue = "") String until,
            @RequestParam(defaultValue = "") String cursor,
            @RequestParam(required = false) @Nullable Integer limit) {
        AuditFilter filter =
                new AuditFilter(
                        vm.isBlank() ? null : scope.vm(vm),
                        host.isBlank() ? null : scope.host(host),
                        severity.isBlank() ? AuditSeverity.NORMAL : severity(severity),
                        event.isBlank() ? null : event(event),
                        since.isBlank() ? null : time("since", since),
                        until.isBlank() ? null : time("until", until));
        if (filter.since() != null
                && filter.until() != null
                && filter.since().isAfter(filter.until())) {
            throw ApiException.badRequest("since must not be after until");
        }
        int wanted = checked(limit);
        AuditEntry.Position before = cursor.isEmpty() ? null : place(cursor);
        try {
            VisiblePage<AuditEntry> look = look(filter, before, wanted);
            AuditEntry last = look.next(wanted);
            return new HistoryJsonModule.Events(
                    look.told(wanted), last == null ? null : cursor(last.position()));
        } catch (StoreUnavailable e) {
            throw ApiException.unavailable(
                    "Older events are in the database, which does not answer now: "
                            + e.getMessage()
                            + ". The newest ones are in memory: ask for fewer.");
        }
    }

    /** Events of objects that the caller may see; as many reads as needed, up to a bound. */
    private VisiblePage<AuditEntry> look(
            AuditFilter filter, AuditEntry.@Nullable Position before, int wanted)
            throws StoreUnavailable {
        Caller caller = scope.caller();
        boolean all = caller.has(Role.READER);
        // One row more than requested shows whether there is a next page.
        return VisiblePage.through(
                (last, most) -> log.newest(filter, last == null ? before : last.position(), most),
                entry -> all || scope.sees(entry.vmId(), entry.hostId(), caller),
                wanted,
                all ? wanted + 1 : settings.maxPageSize(),
                all ? 1 : MOST_LOOKS);
    }

    private int checked(@Nullable Integer limit) {
        int wanted = limit == null ? settings.defaultPageSize() : limit;
        if (wanted < 1 || wanted > settings.maxPageSize()) {
            throw ApiException.badRequest("limit must be 1 to " + settings.maxPageSize());
        }
        return wanted;
    }

    private static AuditSeverity severity(String text) {
        AuditSeverity severity = SEVERITIES.get(text.strip().toLowerCase(Locale.ROOT));
        if (severity == null) {
            throw ApiException.badRequest(
                    "severity \"%s\" is not one of %s"
                            .formatted(
                                    Ids.shortened(text),
                                    Arrays.stream(AuditSeverity.values())
                                            .map(AuditSeverity::label)
                                            .collect(Collectors.joining(", "))));
        }
        return severity;
    }

    /** By name or number. */
    private static AuditEvent event(String text) {
        AuditEvent named = EVENTS.get(text.strip().toUpperCase(Locale.ROOT));
        if (named != null) {
            return named;
        }
        try {
            return AuditEvent.ofCode(Integer.parseInt(text.strip()));
        } catch (IllegalArgumentException _) {
            throw ApiException.badRequest(
                    "event \"%s\" is neither the name nor the number of an audit event"
                            .formatted(Ids.shortened(text)));
        }
    }

    private static Instant time(String name, String text) {
        try {
            // A plus sign that was not escaped arrives as a blank.
            Instant time = OffsetDateTime.parse(text.strip().replace(' ', '+')).toInstant();
            if (time.isBefore(EARLIEST) || time.isAfter(LATEST)) {
                throw ApiException.badRequest(name + " must be in the years 1970 to 9999");
            }
            return time;
        } catch (DateTimeParseException _) {
            throw ApiException.badRequest(
                    "%s \"%s\" is no time like 2026-11-21T12:00:00Z"
                            .formatted(name, Ids.shortened(text)));
        }
    }

    private static String cursor(AuditEntry.Position place) {
        String text = place.at() + " " + place.id();
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private static AuditEntry.Position place(String cursor) {
        try {
            String text = new String(Base64.getUrlDecoder().decode(cursor), StandardCharsets.UTF_8);
            int blank = text.indexOf(' ');
            if (blank > 0) {
                Instant at = Instant.parse(text.substring(0, blank));
                if (!at.isBefore(EARLIEST) && !at.isAfter(LATEST)) {
                    return new AuditEntry.Position(at, Long.parseLong(text.substring(blank + 1)));
                }
            }
        } catch (IllegalArgumentException | DateTimeParseException _) {
            // answered below like any other cursor that was not given out here
        }
        throw ApiException.badRequest("cursor does not belong to this list");
    }
}
