package org.stillwater.server.api.alert;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.stillwater.core.alert.Silence;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.alert.AlertMonitor;
import org.stillwater.server.api.alert.AlertJson.SilenceItem;
import org.stillwater.server.api.alert.AlertJson.SilenceList;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.server.api.web.CallerScope;
import org.stillwater.server.api.web.Ids;
import org.stillwater.server.api.web.JsonObjectReader;
import tools.jackson.databind.JsonNode;

/** Times in which alerts are not delivered: {@code /api/v1/silences}. */
@RestController
@RequestMapping("/api/v1/silences")
class SilenceController {

    private static final int LONGEST_COMMENT = 1_000;
    private static final int MOST_MINUTES = 60 * 24 * 365;

    private final AlertMonitor monitor;
    private final CallerScope scope;
    private final EngineClock clock;

    SilenceController(AlertMonitor monitor, CallerScope scope, EngineClock clock) {
        this.monitor = monitor;
        this.scope = scope;
        this.clock = clock;
    }

    @GetMapping
    SilenceList list() {
        List<SilenceItem> all = monitor.silences().stream().map(AlertJson::silence).toList();
        return new SilenceList(all, all.size());
    }

    @PostMapping
    ResponseEntity<SilenceItem> add(@RequestBody JsonNode body) {
        JsonObjectReader asked = JsonObjectReader.of(body);
        List<Silence.Matcher> matchers = new ArrayList<>();
        for (JsonObjectReader each : asked.objects("matchers")) {
            String label = each.requiredText("label");
            String value = each.text("value");
            if (value == null) {
                throw each.missing("value");
            }
            boolean equal = each.flag("equal", true);
            each.end();
            matchers.add(each.make(() -> new Silence.Matcher(label, value, equal)));
        }
        int minutes = asked.requiredNumber("minutes");
        String comment = asked.text("comment", "", LONGEST_COMMENT);
        asked.end();
        if (minutes < 1 || minutes > MOST_MINUTES) {
            throw ApiException.badRequest("minutes must be 1 to " + MOST_MINUTES).about("minutes");
        }
        Instant now = clock.now();
        Silence silence =
                asked.make(() ->
                        new Silence(
                                UUID.randomUUID(),
                                matchers,
                                now,
                                now.plus(Duration.ofMinutes(minutes)),
                                scope.caller().name(),
                                comment));
        if (silence.coversAbsence()) {
            throw ApiException.badRequest(
                            "These matchers cover every alert without these labels; one must"
                                    + " demand a value that is not empty.")
                    .about("matchers");
        }
        try {
            if (monitor.save(silence) != AlertMonitor.Change.DONE) {
                throw ApiException.conflict(
                        "There are %d silences that last, which is the most."
                                .formatted(monitor.mostSilences()));
            }
        } catch (StoreUnavailable e) {
            throw AlertRuleController.unavailable(e);
        }
        return ResponseEntity.created(URI.create("/api/v1/silences/" + silence.id()))
                .body(AlertJson.silence(silence));
    }

    @DeleteMapping("/{id}")
    ResponseEntity<Void> remove(@PathVariable String id) {
        try {
            if (monitor.removeSilence(Ids.uuid(id)) != AlertMonitor.Change.DONE) {
                throw ApiException.notFound("There is no silence " + Ids.shortened(id) + ".");
            }
        } catch (StoreUnavailable e) {
            throw AlertRuleController.unavailable(e);
        }
        return ResponseEntity.noContent().build();
    }
}
