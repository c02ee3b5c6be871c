package org.stillwater.monitoring.alert;

import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.alert.Alert;
import org.stillwater.core.alert.AlertCondition;
import org.stillwater.core.alert.AlertDecision;
import org.stillwater.core.alert.AlertLimits;
import org.stillwater.core.alert.AlertResolution;
import org.stillwater.core.alert.AlertRule;
import org.stillwater.core.alert.AlertSubject;
import org.stillwater.core.alert.RuleEvaluator;
import org.stillwater.core.alert.SeriesMeasure;
import org.stillwater.core.alert.Silence;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.history.HistoryMetric;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.regression.Finding;
import org.stillwater.core.store.AlertStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.WriteOutcome;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.Attention;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.history.durable.HistorySource;
import org.stillwater.monitoring.regression.RegressionMonitor;
import org.stillwater.monitoring.vm.VmReading;
import org.stillwater.monitoring.worker.SupervisedWorker;
import org.stillwater.monitoring.worker.Workers;

/**
 * Evaluates alert rules on its own supervised thread, stores alerts and notifies its followers. Any
 * thread may read rules, silences and alerts without waiting. It writes no row while no alert
 * changes.
 *
 * <p>While the database does not answer, alerts wait in memory; rules and silences change only
 * after the database has stored them.
 *
 * <p>It is long because rules, silences and alerts change together and are stored together.
 */
public final class AlertMonitor {

    private static final Logger LOG = LoggerFactory.getLogger(AlertMonitor.class);
    private static final Duration PRUNING = Duration.ofHours(1);
    private static final int SILENCES_PER_RULE = 10;

    /** A number that is older is no value; two cycles if they take longer. */
    private static final Duration STALE = Duration.ofMinutes(2);

    private static final int CYCLES = 2;

    /** A smaller difference of both clocks is adjustment, not a step; a leap second is one. */
    private static final Duration STEP = Duration.ofMillis(900);

    /** A rule that is evaluated. */
    private record Running(AlertRule rule, AlertCondition condition, RuleEvaluator evaluator) {}

    /** Outcome of a change. */
    public enum Change {
        DONE,
        UNKNOWN,
        NAME_TAKEN,
        TOO_MANY
    }

    private final RuleSettings settings;
    private final HistorySource numbers;
    private final FleetReader fleet;
    private final RuleSubjects subjects;
    private final AlertStore store;
    private final RegressionMonitor.Recorder recorder;
    private final EngineClock clock;
    private final AlertMeters meters;
    private final List<Consumer<Alert>> followers = new CopyOnWriteArrayList<>();
    private final List<Consumer<Alert>> followersOfRestored = new CopyOnWriteArrayList<>();
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private boolean restored;
    private @Nullable Instant turnedAt;
    private long turnedNanos;
    private final Map<UUID, Running> running = new TreeMap<>();
    private final Map<UUID, Alert> unsaved = new LinkedHashMap<>();

    /** Alerts that fire and that a silence covers. */
    private final Set<UUID> held = new HashSet<>();

    /** Alerts that fire and that fired under a silence: the audit log has no begin of them yet. */
    private final Set<UUID> unrecorded = new HashSet<>();

    private Instant prunedAt = Instant.EPOCH;
    private long refused;

    // Replaced as a whole.
    private volatile Map<UUID, AlertRule> rules = Map.of();
    private volatile Map<UUID, Silence> silences = Map.of();
    private volatile Map<UUID, Alert> known = Map.of();
    private volatile AlertMeters.Reading reading = new AlertMeters.Reading(0, 0, 0);
    private volatile @Nullable SupervisedWorker worker;

    /** A monitor that is not started. */
    public AlertMonitor(
            RuleSettings settings,
            HistorySource numbers,
            FleetReader fleet,
            RuleSubjects subjects,
            AlertStore store,
            RegressionMonitor.Recorder recorder,
            EngineClock clock,
            MeterRegistry registry) {
        this.settings = settings;
        this.numbers = numbers;
        this.fleet = fleet;
        this.subjects = subjects;
        this.store = store;
        this.recorder = recorder;
        this.clock = clock;
        this.meters = new AlertMeters(registry, () -> reading);
    }

    /** Starts the thread; once, when the engine was started. */
    public void start(Workers workers) {
        SupervisedWorker started =
                workers.periodic("alert-monitor", this::prepare, settings.interval(), this::turn);
        worker = started;
        started.start();
    }

    /** Reads the stored state: readers see rules and alerts before the first evaluation. */
    private void prepare() {
        lock.lock();
        try {
            restore();
        } catch (StoreUnavailable e) {
            LOG.debug("alert rules are not restored: {}", e.getMessage());
        } finally {
            lock.unlock();
        }
    }

    /** Ends the thread, and writes all data that the database accepts now. */
    public void stop(Duration patience) {
        SupervisedWorker.endAndSave(worker, lock, patience, this::save);
    }

    /** Evaluates every rule once. Tests without a thread call this. */
    public void turn() {
        lock.lock();
        try {
            try {
                restore();
            } catch (StoreUnavailable e) {
                meters.unavailable();
                LOG.debug("alert rules are not restored: {}", e.getMessage());
                return;
            }
            long started = clock.nanoTime();
            followClock();
            if (!running.isEmpty()) {
                evaluate(clock.now());
            }
            release();
            save();
            prune();
            measure();
            meters.evaluated(clock.nanoTime() - started);
        } finally {
            lock.unlock();
        }
    }

    /** A step of the wall clock neither fires a rule early nor delays it. */
    private void followClock() {
        Instant now = clock.now();
        long nanos = clock.nanoTime();
        Instant before = turnedAt;
        if (before != null) {
            Duration step = Duration.between(before, now).minusNanos(nanos - turnedNanos);
            if (step.abs().compareTo(STEP) >= 0) {
                running.values().forEach(each -> each.evaluator().clockWasSet(step));
            }
        }
        turnedAt = now;
        turnedNanos = nanos;
    }

    private void restore() throws StoreUnavailable {
        if (restored) {
            return;
        }
        Map<UUID, AlertRule> stored = new LinkedHashMap<>();
        store.rules().forEach(rule -> stored.put(rule.id(), rule));
        Map<UUID, Silence> quiet = new LinkedHashMap<>();
        store.silences().forEach(silence -> quiet.put(silence.id(), silence));
        Map<UUID, Alert> alerts = new HashMap<>();
        store.alerts(settings.mostAlerts()).forEach(alert -> alerts.put(alert.id(), alert));
        rules = stored;
        silences = quiet;
        known = alerts;
        restored = true;
        stored.values().forEach(this::run);
        for (Alert alert : alerts.values()) {
            if (alert.isFiring() && isSilenced(alert)) {
                held.add(alert.id());
                if (isSilenced(alert, alert.firedAt())) {
                    unrecorded.add(alert.id());
                }
            }
            if (alert.isFiring() || alert.delivered().containsValue(true)) {
                followersOfRestored.forEach(follower -> follower.accept(alert));
            }
        }
        Instant now = clock.now();
        for (Alert alert : firing()) {
            if (!running.containsKey(alert.rule())) {
                keep(alert.resolved(now, AlertResolution.RULE));
            }
        }
    }

    private void run(AlertRule rule) {
        if (rule.enabled()) {
            AlertCondition condition = rule.condition();
            running.put(
                    rule.id(),
                    new Running(
                            rule,
                            condition,
                            new RuleEvaluator(rule, limits(condition), firing(rule.id()))));
        }
    }

    /** Limits of the evaluation of a condition. */
    AlertLimits limits(AlertCondition condition) {
        return condition instanceof AlertCondition.Measured
                ? subjects.measured().limits(settings.limits())
                : settings.limits();
    }

    private List<Alert> firing(UUID rule) {
        return firing().stream().filter(alert -> alert.rule().equals(rule)).toList();
    }

    private List<Alert> firing() {
        return known.values().stream().filter(Alert::isFiring).toList();
    }

    private void evaluate(Instant now) {
        List<Running> ofVms = new ArrayList<>();
        List<Running> ofHosts = new ArrayList<>();
        List<Running> all = new ArrayList<>(running.values());
        all.removeIf(each -> !subjects.areKnown(each.condition()));
        for (Running each : all) {
            each.evaluator().begin(now);
            switch (each.condition()) {
                case AlertCondition.Threshold _, AlertCondition.Absence _ ->
                        (each.condition().kind() == AlertSubject.Kind.VM ? ofVms : ofHosts)
                                .add(each);
                case AlertCondition.Measured(SeriesMeasure measure, _, _) ->
                        sampleSeries(each, measure);
                case AlertCondition.ChangePoint change -> sampleFindings(each, change);
            }
        }
        long oldest = now.minus(stale()).toEpochMilli();
        if (!ofVms.isEmpty()) {
            numbers.vms((upper, lower, observed, values) ->
                    sample(ofVms, upper, lower, observed < oldest, values));
        }
        if (!ofHosts.isEmpty()) {
            numbers.hosts((upper, lower, observed, values) ->
                    sample(ofHosts, upper, lower, observed < oldest, values));
        }
        for (Running each : all) {
            for (AlertDecision decision : each.evaluator().end()) {
                follow(each, decision, now);
            }
        }
    }

    private Duration stale() {
        Duration cycles = fleet.cycle().multipliedBy(CYCLES);
        return cycles.compareTo(STALE) > 0 ? cycles : STALE;
    }

    private void sample(
            List<Running> watching, long upper, long lower, boolean stale, double[] values) {
        for (Running each : watching) {
            boolean covered =
                    each.condition().kind() == AlertSubject.Kind.VM
                            ? subjects.covers(
                                    each.rule().scope(), fleet.reading(new VmId(upper, lower)))
                            : subjects.covers(
                                    each.rule().scope(),
                                    fleet.host(new HostId(new UUID(upper, lower))));
            if (covered) {
                attend(each, upper, lower);
                HistoryMetric metric = metric(each.condition());
                double value = stale || metric == null ? Double.NaN : values[metric.index()];
                each.evaluator().sample(upper, lower, value);
            }
        }
    }

    /** Shortens the poll intervals of the hosts that a rule covers to fit its duration. */
    private void attend(Running rule, long upper, long lower) {
        Attention attention = fleet.attention();
        if (attention.isOn()) {
            HostId host;
            if (rule.condition().kind() == AlertSubject.Kind.VM) {
                VmReading vm = fleet.reading(new VmId(upper, lower));
                host = vm == null ? null : vm.state().placement().runOn();
            } else {
                host = new HostId(new UUID(upper, lower));
            }
            attention.ruled(host, rule.rule().lasting(), settings.interval().multipliedBy(3));
        }
    }

    static @Nullable HistoryMetric metric(AlertCondition condition) {
        return switch (condition) {
            case AlertCondition.Threshold threshold -> threshold.metric();
            case AlertCondition.Absence absence -> absence.metric();
            case AlertCondition.Measured _, AlertCondition.ChangePoint _ -> null;
        };
    }

    private void sampleSeries(Running each, SeriesMeasure measure) {
        SeriesSubjects measured = subjects.measured();
        measured.sample(each.rule(), measure, each.evaluator());
        Attention attention = fleet.attention();
        if (attention.isOn()) {
            Duration lasting = measured.lasting();
            for (HostId host : measured.hosts(each.rule().scope(), measure)) {
                attention.ruled(host, lasting, settings.interval().multipliedBy(3));
            }
        }
    }

    private void sampleFindings(Running each, AlertCondition.ChangePoint change) {
        for (Finding finding : subjects.findings(change)) {
            if (finding.isOpen()) {
                each.evaluator()
                        .sample(
                                finding.id().getMostSignificantBits(),
                                finding.id().getLeastSignificantBits(),
                                RuleSubjects.percent(finding));
            }
        }
    }

    private void follow(Running of, AlertDecision decision, Instant now) {
        AlertRule rule = of.rule();
        switch (decision) {
            case AlertDecision.Pending(UUID subject, _) ->
                    LOG.debug("pending alert={} object={}", rule.alert(), subject);
            case AlertDecision.Fired(UUID subject, Instant since, double value) ->
                    fire(
                            Alert.fired(
                                    rule,
                                    subjects.named(of.condition(), subject),
                                    value,
                                    since,
                                    now,
                                    1));
            case AlertDecision.Resolved(UUID subject, AlertResolution why) ->
                    resolve(rule.id(), subject, why, now);
            case AlertDecision.GroupFired(int members) ->
                    fire(Alert.fired(rule, group(rule, members), Double.NaN, now, now, members));
            case AlertDecision.GroupGrew(int members) -> {
                Alert alert = firing(rule.id(), rule.id());
                if (alert != null) {
                    keep(alert.of(members));
                }
            }
            case AlertDecision.GroupResolved _ ->
                    resolve(rule.id(), rule.id(), AlertResolution.CONDITION, now);
        }
    }

    private static AlertSubject group(AlertRule rule, int members) {
        return new AlertSubject(
                AlertSubject.Kind.GROUP, rule.id(), members + " objects of rule " + rule.alert());
    }

    private @Nullable Alert firing(UUID rule, UUID subject) {
        for (Alert each : known.values()) {
            if (each.isFiring()
                    && each.rule().equals(rule)
                    && each.subject().id().equals(subject)) {
                return each;
            }
        }
        return null;
    }

    private void fire(Alert alert) {
        if (firing().size() >= settings.mostAlerts()) {
            refused++;
            return;
        }
        meters.fired();
        LOG.info(
                "alert={} kind={} object={} value={}",
                alert.alert(),
                alert.subject().kind().label(),
                alert.subject().name(),
                alert.value());
        if (isSilenced(alert)) {
            unrecorded.add(alert.id());
        } else {
            record(AuditEvent.ALERT_FIRED, alert);
        }
        keep(alert);
    }

    private void resolve(UUID rule, UUID subject, AlertResolution why, Instant now) {
        Alert alert = firing(rule, subject);
        if (alert != null) {
            Alert over = alert.resolved(now, why);
            meters.resolved();
            if (!unrecorded.remove(alert.id())) {
                record(AuditEvent.ALERT_RESOLVED, over);
            }
            keep(over);
        }
    }

    /** The audit log has the end of each begin that it has, also if a silence came in between. */
    private void record(AuditEvent event, Alert alert) {
        Map<String, String> details = new HashMap<>();
        details.put("alert", alert.alert());
        details.put("object", alert.subject().name());
        details.put("expr", alert.expr());
        details.put("value", alert.value() == null ? "none" : alert.value().toString());
        if (alert.resolution() != null) {
            details.put("resolution", alert.resolution().label());
        }
        UUID vm = alert.subject().vmOrOwner();
        UUID host = alert.subject().hostOrOwner();
        recorder.record(
                event,
                vm == null ? null : VmId.of(vm),
                host == null ? null : new HostId(host),
                details);
    }

    private void keep(Alert alert) {
        Map<UUID, Alert> next = new HashMap<>(known);
        next.put(alert.id(), alert);
        while (next.size() > settings.mostAlerts()) {
            UUID oldest =
                    next.values().stream()
                            .min(
                                    Comparator.comparing(Alert::isFiring)
                                            .thenComparing(Alert::firedAt))
                            .map(Alert::id)
                            .orElseThrow();
            next.remove(oldest);
        }
        known = next;
        unsaved.put(alert.id(), alert);
        if (alert.isFiring() && isSilenced(alert)) {
            held.add(alert.id());
        }
        tell(alert);
    }

    private void tell(Alert alert) {
        fleet.changes().alerted(alert);
        for (Consumer<Alert> follower : followers) {
            follower.accept(alert);
        }
    }

    /**
     * Alerts that outlast their silence are sent again; receivers know those that were sent before.
     */
    private void release() {
        if (held.isEmpty()) {
            return;
        }
        for (UUID id : List.copyOf(held)) {
            Alert alert = known.get(id);
            if (alert == null || !alert.isFiring()) {
                held.remove(id);
                unrecorded.remove(id);
            } else if (!isSilenced(alert)) {
                held.remove(id);
                if (unrecorded.remove(id)) {
                    record(AuditEvent.ALERT_FIRED, alert);
                }
                tell(alert);
            }
        }
    }

    private void save() {
        if (unsaved.isEmpty()) {
            return;
        }
        switch (store.saveAlerts(List.copyOf(unsaved.values()))) {
            case WriteOutcome.Written written -> {
                unsaved.clear();
                if (!written.rejected().isEmpty()) {
                    LOG.warn("the database refuses alerts: {}", written.rejected());
                }
            }
            case WriteOutcome.Unavailable unavailable -> {
                meters.unavailable();
                LOG.debug("alerts wait in memory: {}", unavailable.reason());
                while (unsaved.size() > settings.mostAlerts()) {
                    unsaved.remove(unsaved.keySet().iterator().next());
                }
            }
        }
    }

    private void prune() {
        Instant now = clock.now();
        if (Duration.between(prunedAt, now).compareTo(PRUNING) < 0) {
            return;
        }
        prunedAt = now;
        Instant before = now.minus(settings.retention());
        boolean anything =
                known.values().stream().anyMatch(each -> isOver(each, before))
                        || silences.values().stream()
                                .anyMatch(each -> each.endsAt().isBefore(before));
        if (!anything) {
            return;
        }
        try {
            int removed = store.removeEndedBefore(before);
            Map<UUID, Alert> next = new HashMap<>(known);
            next.values().removeIf(each -> isOver(each, before));
            known = next;
            Map<UUID, Silence> quiet = new LinkedHashMap<>(silences);
            quiet.values().removeIf(each -> each.endsAt().isBefore(before));
            silences = quiet;
            LOG.debug("alerts removed={}", removed);
        } catch (StoreUnavailable e) {
            meters.unavailable();
            LOG.debug("old alerts stay: {}", e.getMessage());
        }
    }

    private static boolean isOver(Alert alert, Instant before) {
        return alert.resolvedAt() != null && alert.resolvedAt().isBefore(before);
    }

    private void measure() {
        int pending = 0;
        long left = refused;
        for (Running each : running.values()) {
            pending += each.evaluator().pending();
            left += each.evaluator().refused();
        }
        reading = new AlertMeters.Reading(firing().size(), pending, left);
    }

    /** Rules by name. Any thread. */
    public List<AlertRule> rules() {
        return rules.values().stream().sorted(Comparator.comparing(AlertRule::alert)).toList();
    }

    /** The rule of this identity, or null. Any thread. */
    public @Nullable AlertRule rule(UUID id) {
        return rules.get(id);
    }

    /** Silences, the one that ends first at the front. Any thread. */
    public List<Silence> silences() {
        return silences.values().stream()
                .sorted(Comparator.comparing(Silence::endsAt).thenComparing(Silence::id))
                .toList();
    }

    /** Alerts, the newest first. Any thread. */
    public List<Alert> alerts() {
        return known.values().stream()
                .sorted(Comparator.comparing(Alert::firedAt).reversed().thenComparing(Alert::id))
                .toList();
    }

    /** The alert of this identity, or null. Any thread. */
    public @Nullable Alert alert(UUID id) {
        return known.get(id);
    }

    /** Whether a silence keeps an alert from being delivered now. Any thread. */
    public boolean isSilenced(Alert alert) {
        return isSilenced(alert, clock.now());
    }

    private boolean isSilenced(Alert alert, Instant at) {
        for (Silence each : silences.values()) {
            if (each.covers(alert, at)) {
                return true;
            }
        }
        return false;
    }

    /** Limits. */
    public RuleSettings settings() {
        return settings;
    }

    /** Which objects rules watch. */
    RuleSubjects subjects() {
        return subjects;
    }

    /** Calls a listener with each alert that fired, changed or ended. It must not block. */
    public void follow(Consumer<Alert> follower) {
        followers.add(follower);
    }

    /** Calls a listener with each known alert; none changes meanwhile. It must not block. */
    public void forEach(Consumer<Alert> listener) {
        lock.lock();
        try {
            known.values().forEach(listener);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Calls a listener with each alert of a former life of the engine that fires, or that ended
     * without a receiver's acceptance of the end; once, before any news of it. It must not block.
     */
    public void followRestored(Consumer<Alert> follower) {
        followersOfRestored.add(follower);
    }

    /**
     * Records the notices that a receiver accepted, so that another life of the engine continues
     * from there.
     *
     * @param begins by id, whether the newest notice was about the begin; ids without an alert of a
     *     rule are left out
     */
    public void delivered(String receiver, Map<UUID, Boolean> begins) {
        lock.lock();
        try {
            Map<UUID, Alert> next = new HashMap<>(known);
            begins.forEach((id, begin) -> {
                Alert alert = next.get(id);
                if (alert != null) {
                    Alert taken = alert.delivered(receiver, begin);
                    next.put(id, taken);
                    unsaved.put(id, taken);
                }
            });
            known = next;
            save();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Adds a rule, or replaces the rule with its id. If the evaluation changes, the rule's alerts
     * end.
     *
     * @throws StoreUnavailable if the database does not accept it now; no change is made
     */
    public Change save(AlertRule rule) throws StoreUnavailable {
        lock.lock();
        try {
            restore();
            AlertRule before = rules.get(rule.id());
            if (before == null && rules.size() >= settings.mostRules()) {
                return Change.TOO_MANY;
            }
            if (!store.save(rule)) {
                return Change.NAME_TAKEN;
            }
            Map<UUID, AlertRule> next = new LinkedHashMap<>(rules);
            next.put(rule.id(), rule);
            rules = next;
            Running present = running.get(rule.id());
            if (present != null && before != null && rule.isEvaluatedAs(before)) {
                running.put(rule.id(), new Running(rule, present.condition(), present.evaluator()));
            } else {
                end(rule.id());
                run(rule);
            }
            return Change.DONE;
        } finally {
            lock.unlock();
        }
    }

    private void end(UUID rule) {
        running.remove(rule);
        Instant now = clock.now();
        for (Alert each : firing(rule)) {
            resolve(rule, each.subject().id(), AlertResolution.RULE, now);
        }
        save();
    }

    /**
     * Removes a rule; its alerts end.
     *
     * @throws StoreUnavailable if the database does not accept it now; no change is made
     */
    public Change removeRule(UUID id) throws StoreUnavailable {
        lock.lock();
        try {
            restore();
            boolean there = store.removeRule(id);
            Map<UUID, AlertRule> next = new LinkedHashMap<>(rules);
            next.remove(id);
            rules = next;
            end(id);
            return there ? Change.DONE : Change.UNKNOWN;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Adds a silence.
     *
     * @throws StoreUnavailable if the database does not accept it now; no change is made
     */
    public Change save(Silence silence) throws StoreUnavailable {
        lock.lock();
        try {
            restore();
            if (silences.size() >= mostSilences() && !removeOldestEndedSilence()) {
                return Change.TOO_MANY;
            }
            store.save(silence);
            Map<UUID, Silence> next = new LinkedHashMap<>(silences);
            next.put(silence.id(), silence);
            silences = next;
            for (Alert alert : firing()) {
                if (silence.covers(alert, clock.now()) && held.add(alert.id())) {
                    tell(alert);
                }
            }
            return Change.DONE;
        } finally {
            lock.unlock();
        }
    }

    /** Silences that may last. */
    public int mostSilences() {
        return settings.mostRules() * SILENCES_PER_RULE;
    }

    /** Whether there was one. Silences that ended are kept for a while, if there is room. */
    private boolean removeOldestEndedSilence() throws StoreUnavailable {
        Instant now = clock.now();
        Silence oldest =
                silences.values().stream()
                        .filter(each -> !each.endsAt().isAfter(now))
                        .min(Comparator.comparing(Silence::endsAt))
                        .orElse(null);
        if (oldest == null) {
            return false;
        }
        Change _ = removeSilence(oldest.id());
        return true;
    }

    /**
     * Removes a silence; the alerts that it suppressed are sent in the next evaluation.
     *
     * @throws StoreUnavailable if the database does not accept it now; no change is made
     */
    public Change removeSilence(UUID id) throws StoreUnavailable {
        lock.lock();
        try {
            restore();
            boolean there = store.removeSilence(id);
            Map<UUID, Silence> next = new LinkedHashMap<>(silences);
            next.remove(id);
            silences = next;
            return there ? Change.DONE : Change.UNKNOWN;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Records or withdraws a user's acknowledgement of an alert.
     *
     * @return the present alert; null if it does not exist
     * @throws StoreUnavailable if the database does not accept it now; no change is made
     */
    public @Nullable Alert acknowledge(UUID id, Alert.@Nullable Acknowledgement by)
            throws StoreUnavailable {
        lock.lock();
        try {
            restore();
            Alert before = known.get(id);
            if (before == null) {
                return null;
            }
            Alert after = before.acknowledged(by);
            if (store.saveAlerts(List.of(after))
                    instanceof WriteOutcome.Unavailable(String reason)) {
                meters.unavailable();
                throw new StoreUnavailable(reason, new IllegalStateException(reason));
            }
            keep(after);
            unsaved.remove(id);
            return after;
        } finally {
            lock.unlock();
        }
    }
}
