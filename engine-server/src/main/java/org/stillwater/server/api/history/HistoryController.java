package org.stillwater.server.api.history;

import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.stillwater.core.history.HistoryMetric;
import org.stillwater.core.history.HistoryMetric.Subject;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.history.HistoryAnswer;
import org.stillwater.monitoring.history.HistoryQueries;
import org.stillwater.monitoring.history.HistoryQuery;
import org.stillwater.server.api.rows.ListResponses;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.server.api.web.Ids;

/**
 * History of numbers: {@code /api/v1/vms/{id}/history} and {@code /api/v1/hosts/{id}/history}.
 * Samples in memory are answered without the database.
 */
@RestController
@RequestMapping("/api/v1")
class HistoryController {

    private static final MediaType CSV = new MediaType("text", "csv", StandardCharsets.UTF_8);

    /** An amount of time in readable form. */
    private static final Pattern AMOUNT = Pattern.compile("([0-9]{1,9})([smhd])");

    private static final Duration LONGEST = Duration.ofDays(36_500);

    private final FleetReader fleet;
    private final EngineClock clock;

    HistoryController(FleetReader fleet, EngineClock clock) {
        this.fleet = fleet;
        this.clock = clock;
    }

    @GetMapping("/vms/{id}/history")
    ResponseEntity<?> ofVm(
            @PathVariable String id,
            @RequestParam(required = false) @Nullable String @Nullable [] metric,
            @RequestParam(defaultValue = "-1h") String from,
            @RequestParam(defaultValue = "now") String to,
            @RequestParam(defaultValue = "") String step,
            @RequestParam(defaultValue = "") String source,
            @RequestParam(defaultValue = "") String format,
            @RequestHeader(name = HttpHeaders.ACCEPT, defaultValue = "*/*") String accept) {
        VmId vm = Ids.vm(id);
        if (fleet.vm(vm) == null) {
            throw ApiException.notFound("There is no VM " + vm + ".");
        }
        return answer(
                query(Subject.VM, vm.toUuid(), metric, from, to, step, source),
                csv(format, accept));
    }

    @GetMapping("/hosts/{id}/history")
    ResponseEntity<?> ofHost(
            @PathVariable String id,
            @RequestParam(required = false) @Nullable String @Nullable [] metric,
            @RequestParam(defaultValue = "-1h") String from,
            @RequestParam(defaultValue = "now") String to,
            @RequestParam(defaultValue = "") String step,
            @RequestParam(defaultValue = "") String source,
            @RequestParam(defaultValue = "") String format,
            @RequestHeader(name = HttpHeaders.ACCEPT, defaultValue = "*/*") String accept) {
        HostId host = Ids.host(id);
        if (fleet.host(host) == null) {
            throw ApiException.notFound("There is no host " + Ids.shortened(id) + ".");
        }
        return answer(
                query(Subject.HOST, host.value(), metric, from, to, step, source),
                csv(format, accept));
    }

    private ResponseEntity<?> answer(HistoryQuery query, boolean csv) {
        try {
            HistoryAnswer answer = fleet.history(query);
            return csv
                    ? ResponseEntity.ok().contentType(CSV).body(HistoryJson.csv(answer))
                    : ResponseEntity.ok()
                            .contentType(MediaType.APPLICATION_JSON)
                            .body(
                                    new HistoryJsonModule.History(
                                            query.subject(), query.id(), answer));
        } catch (HistoryQueries.Refused e) {
            throw ApiException.badRequest(String.valueOf(e.getMessage()));
        } catch (StoreUnavailable e) {
            throw ApiException.unavailable(
                    "This history is in the database, which does not answer now: "
                            + e.getMessage()
                            + ". The newest is in memory: ask for less time, such as from=-10m.");
        }
    }

    private HistoryQuery query(
            Subject subject,
            UUID id,
            @Nullable String @Nullable [] metric,
            String from,
            String to,
            String step,
            String source) {
        Instant now = clock.now();
        return new HistoryQuery(
                subject,
                id,
                metrics(subject, metric),
                time("from", from, now),
                time("to", to, now),
                step.isBlank() ? null : step(step),
                remembered(source));
    }

    private static boolean remembered(String source) {
        return switch (source.strip().toLowerCase(Locale.ROOT)) {
            case "" -> false;
            case "memory" -> true;
            default ->
                    throw ApiException.badRequest(
                            "source \"%s\" is not memory; leave it out to include older data"
                                    .formatted(Ids.shortened(source)));
        };
    }

    /** All of them when none is named. */
    private static List<HistoryMetric> metrics(
            Subject subject, @Nullable String @Nullable [] texts) {
        Set<HistoryMetric> named = new LinkedHashSet<>();
        if (texts != null) {
            for (String text : texts) {
                for (String label : text == null ? new String[0] : text.split(",")) {
                    if (!label.isBlank()) {
                        named.add(metric(subject, label.strip()));
                    }
                }
            }
        }
        if (texts != null && named.isEmpty()) {
            throw ApiException.badRequest("metric has no word: \",\"");
        }
        return texts == null ? HistoryMetric.of(subject) : new ArrayList<>(named);
    }

    private static HistoryMetric metric(Subject subject, String label) {
        return HistoryMetric.named(subject, label)
                .orElseThrow(() ->
                        ApiException.badRequest(
                                "metric \"%s\" is not one of %s"
                                        .formatted(
                                                Ids.shortened(label),
                                                HistoryMetric.of(subject).stream()
                                                        .map(HistoryMetric::label)
                                                        .collect(Collectors.joining(", ")))));
    }

    /** A moment, or how long ago. */
    private static Instant time(String name, String text, Instant now) {
        String stripped = text.strip();
        if (stripped.equals("now")) {
            return now;
        }
        try {
            if (stripped.startsWith("-")) {
                return now.minus(amount(stripped.substring(1)));
            }
            // A plus sign that was not escaped arrives as a blank.
            Instant time = OffsetDateTime.parse(stripped.replace(' ', '+')).toInstant();
            if (Duration.between(time, now).abs().compareTo(LONGEST) <= 0) {
                return time;
            }
        } catch (DateTimeException | ArithmeticException _) {
            // reported below
        }
        throw ApiException.badRequest(
                "%s \"%s\" is neither a time like 2026-11-21T12:00:00Z nor one ago like -90m, -1h or -30d"
                        .formatted(name, Ids.shortened(text)));
    }

    private static Duration step(String text) {
        try {
            Duration step = amount(text.strip());
            if (step.toSeconds() >= 1 && step.toNanosPart() == 0) {
                return step;
            }
        } catch (DateTimeException | ArithmeticException _) {
            // reported below
        }
        throw ApiException.badRequest(
                "step \"%s\" is no time like 15s, 1m, 1h, 1d or PT15S, of whole seconds"
                        .formatted(Ids.shortened(text)));
    }

    /** Positive, or 0. */
    private static Duration amount(String text) {
        Matcher written = AMOUNT.matcher(text.toLowerCase(Locale.ROOT));
        Duration amount;
        if (written.matches()) {
            long number = Long.parseLong(written.group(1));
            amount =
                    switch (written.group(2)) {
                        case "s" -> Duration.ofSeconds(number);
                        case "m" -> Duration.ofMinutes(number);
                        case "h" -> Duration.ofHours(number);
                        default -> Duration.ofDays(number);
                    };
        } else {
            amount = Duration.parse(text);
        }
        if (amount.isNegative() || amount.compareTo(LONGEST) > 0) {
            throw new DateTimeException("out of range");
        }
        return amount;
    }

    private static boolean csv(String format, String accept) {
        return switch (format.strip().toLowerCase(Locale.ROOT)) {
            case "csv" -> true;
            case "json" -> false;
            case "" -> preferred(accept);
            default ->
                    throw ApiException.badRequest(
                            "format \"%s\" is neither json nor csv"
                                    .formatted(Ids.shortened(format)));
        };
    }

    /** Whether CSV is named before JSON, best first. */
    private static boolean preferred(String accept) {
        for (MediaType type : ListResponses.accepted(accept)) {
            if (type.isCompatibleWith(MediaType.APPLICATION_JSON)) {
                return false;
            }
            if (type.isCompatibleWith(CSV)) {
                return true;
            }
        }
        return false;
    }
}
