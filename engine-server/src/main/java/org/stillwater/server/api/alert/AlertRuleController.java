package org.stillwater.server.api.alert;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.stillwater.core.alert.AlertCondition;
import org.stillwater.core.alert.AlertExpression;
import org.stillwater.core.alert.AlertRule;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.alert.AlertMonitor;
import org.stillwater.monitoring.alert.RuleBackTest;
import org.stillwater.server.api.alert.AlertJson.BackTestItem;
import org.stillwater.server.api.alert.AlertJson.RuleItem;
import org.stillwater.server.api.alert.AlertJson.RuleList;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.server.api.web.Ids;
import org.stillwater.server.api.web.JsonObjectReader;
import org.stillwater.server.settings.RegressionSettings;
import tools.jackson.databind.JsonNode;

/** Alert rules and their back-test: {@code /api/v1/alert-rules}. */
@RestController
@RequestMapping("/api/v1/alert-rules")
class AlertRuleController {

    private static final Duration LONGEST = Duration.ofDays(400);
    private static final Duration SHORTEST = Duration.ofMinutes(1);

    private final AlertMonitor monitor;
    private final RuleBackTest backTest;
    private final EngineClock clock;
    private final RuleNotices notices;
    private final RegressionSettings search;

    AlertRuleController(
            AlertMonitor monitor,
            RuleBackTest backTest,
            EngineClock clock,
            RuleNotices notices,
            RegressionSettings search) {
        this.search = search;
        this.notices = notices;
        this.monitor = monitor;
        this.backTest = backTest;
        this.clock = clock;
    }

    @GetMapping
    RuleList list() {
        List<RuleItem> all = monitor.rules().stream().map(notices::item).toList();
        return new RuleList(all, all.size());
    }

    @GetMapping("/{id}")
    RuleItem one(@PathVariable String id) {
        return notices.item(known(id));
    }

    @PostMapping
    ResponseEntity<RuleItem> add(@RequestBody JsonNode body) {
        AlertRule rule = save(RuleReader.read(UUID.randomUUID(), 1, body));
        return ResponseEntity.created(URI.create("/api/v1/alert-rules/" + rule.id()))
                .body(notices.item(rule));
    }

    /** Replaces all of it. */
    @PutMapping("/{id}")
    RuleItem change(@PathVariable String id, @RequestBody JsonNode body) {
        AlertRule before = known(id);
        return notices.item(save(RuleReader.read(before.id(), before.revision() + 1, body)));
    }

    @DeleteMapping("/{id}")
    ResponseEntity<Void> remove(@PathVariable String id) {
        try {
            if (monitor.removeRule(Ids.uuid(id)) != AlertMonitor.Change.DONE) {
                throw unknown(id);
            }
        } catch (StoreUnavailable e) {
            throw unavailable(e);
        }
        return ResponseEntity.noContent().build();
    }

    /** Evaluates a rule over the past; nothing is saved. */
    @PostMapping("/backtest")
    BackTestItem backTest(@RequestBody JsonNode body) {
        JsonObjectReader asked = JsonObjectReader.of(body);
        JsonNode given = asked.any("rule");
        String over = asked.text("over", "30d");
        asked.end();
        if (given == null) {
            throw asked.missing("rule");
        }
        if (!given.isObject()) {
            throw ApiException.badRequest("rule must be a JSON object").about("rule");
        }
        AlertRule rule = RuleReader.read(new UUID(0, 0), 1, given);
        Duration span = span(over);
        Instant now = clock.now();
        try {
            return AlertJson.backTest(backTest.run(rule, now.minus(span), now));
        } catch (RuleBackTest.Busy _) {
            throw ApiException.tooMany("Another back-test runs.");
        } catch (StoreUnavailable e) {
            throw ApiException.unavailable(
                    "The past cannot be read, because the database does not answer: "
                            + e.getMessage());
        }
    }

    private static Duration span(String over) {
        try {
            Duration span = AlertExpression.duration(over);
            if (span.compareTo(SHORTEST) >= 0 && span.compareTo(LONGEST) <= 0) {
                return span;
            }
        } catch (IllegalArgumentException e) {
            throw ApiException.badRequest("over: " + e.getMessage()).about("over");
        }
        throw ApiException.badRequest("over must be 1m to 400d").about("over");
    }

    private AlertRule save(AlertRule rule) {
        boolean isMeasured =
                switch (rule.condition()) {
                    case AlertCondition.Measured _, AlertCondition.ChangePoint _ -> true;
                    case AlertCondition.Threshold _, AlertCondition.Absence _ -> false;
                };
        if (rule.enabled() && isMeasured && !search.enabled()) {
            throw ApiException.badRequest(
                            "expr: the search for regressions measures this, and"
                                    + " stillwater.regressions.enabled is false")
                    .about("expr");
        }
        try {
            return switch (monitor.save(rule)) {
                case DONE -> rule;
                case UNKNOWN -> throw unknown(rule.id().toString());
                case NAME_TAKEN ->
                        throw ApiException.conflict(
                                        "There is already an alert rule " + rule.alert() + ".")
                                .about("alert");
                case TOO_MANY ->
                        throw ApiException.conflict(
                                "There are %d alert rules, which is the most."
                                        .formatted(monitor.settings().mostRules()));
            };
        } catch (StoreUnavailable e) {
            throw unavailable(e);
        }
    }

    static ApiException unavailable(StoreUnavailable e) {
        return ApiException.unavailable(
                "Nothing was changed, because the database does not answer: " + e.getMessage());
    }

    private AlertRule known(String text) {
        AlertRule rule = monitor.rule(Ids.uuid(text));
        if (rule == null) {
            throw unknown(text);
        }
        return rule;
    }

    private static ApiException unknown(String text) {
        return ApiException.notFound("There is no alert rule " + Ids.shortened(text) + ".");
    }
}
