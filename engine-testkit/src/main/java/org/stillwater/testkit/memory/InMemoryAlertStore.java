package org.stillwater.testkit.memory;

import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.stillwater.core.alert.Alert;
import org.stillwater.core.alert.AlertRule;
import org.stillwater.core.alert.Silence;
import org.stillwater.core.store.AlertStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.WriteOutcome;

/** Alert rules, silences and alerts in memory. Thread-safe. */
public final class InMemoryAlertStore extends InMemoryStore implements AlertStore {

    private final Map<UUID, AlertRule> rules = new LinkedHashMap<>();
    private final Map<UUID, Silence> silences = new LinkedHashMap<>();
    private final Map<UUID, Alert> alerts = new LinkedHashMap<>();

    @Override
    public synchronized List<AlertRule> rules() throws StoreUnavailable {
        reach();
        return rules.values().stream().sorted(Comparator.comparing(AlertRule::alert)).toList();
    }

    @Override
    public synchronized boolean save(AlertRule rule) throws StoreUnavailable {
        reach();
        if (rules.values().stream()
                .anyMatch(each ->
                        each.alert().equals(rule.alert()) && !each.id().equals(rule.id()))) {
            return false;
        }
        rules.put(rule.id(), rule);
        return true;
    }

    @Override
    public synchronized boolean removeRule(UUID id) throws StoreUnavailable {
        reach();
        return rules.remove(id) != null;
    }

    @Override
    public synchronized List<Silence> silences() throws StoreUnavailable {
        reach();
        return silences.values().stream()
                .sorted(Comparator.comparing(Silence::endsAt).thenComparing(Silence::id))
                .toList();
    }

    @Override
    public synchronized void save(Silence silence) throws StoreUnavailable {
        reach();
        silences.put(silence.id(), silence);
    }

    @Override
    public synchronized boolean removeSilence(UUID id) throws StoreUnavailable {
        reach();
        return silences.remove(id) != null;
    }

    @Override
    public synchronized List<Alert> alerts(int limit) throws StoreUnavailable {
        reach();
        return alerts.values().stream()
                .sorted(
                        Comparator.comparing((Alert alert) -> !alert.isFiring())
                                .thenComparing(Alert::firedAt, Comparator.reverseOrder())
                                .thenComparing(Alert::id))
                .limit(limit)
                .toList();
    }

    @Override
    public synchronized WriteOutcome saveAlerts(List<Alert> saved) {
        WriteOutcome.Unavailable refusal = refusal();
        if (refusal != null) {
            return refusal;
        }
        saved.forEach(alert -> alerts.put(alert.id(), alert));
        return touched(saved.size());
    }

    @Override
    public synchronized int removeEndedBefore(Instant time) throws StoreUnavailable {
        reach();
        int before = alerts.size() + silences.size();
        alerts.values()
                .removeIf(alert -> alert.resolvedAt() != null && alert.resolvedAt().isBefore(time));
        silences.values().removeIf(silence -> silence.endsAt().isBefore(time));
        return before - alerts.size() - silences.size();
    }
}
