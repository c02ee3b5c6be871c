package org.stillwater.core.alert;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Evaluates one rule, pass by pass: {@link #begin}, a {@link #sample} for each object in its scope,
 * {@link #end}. The decisions depend on the samples and times alone, not on the order of the
 * objects. A pass in which nothing changes allocates nothing.
 *
 * <p>A condition that holds is pending, and fires when it has lasted. After the condition has
 * ended, for any reason, the alert keeps firing for the rule's time, as in Prometheus. A metric
 * without a value neither fires nor resolves a threshold until the patience is over. An object
 * without a sample in a pass is gone. If more alerts would fire than the rule's limit, all that are
 * due in that pass become members of one group instead. The members of a group that fires since a
 * former life of the engine join it again when their condition has lasted. Not thread-safe.
 */
public final class RuleEvaluator {

    private enum State {
        PENDING,
        FIRING,
        GROUPED
    }

    /** Identity of an object; mutable as a probe only. */
    private static final class Key implements Comparable<Key> {

        private long upper;
        private long lower;

        void set(long first, long second) {
            upper = first;
            lower = second;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Key key && key.upper == upper && key.lower == lower;
        }

        @Override
        public int hashCode() {
            return Long.hashCode(upper * 31 + lower);
        }

        @Override
        public int compareTo(Key other) {
            int first = Long.compareUnsigned(upper, other.upper);
            return first == 0 ? Long.compareUnsigned(lower, other.lower) : first;
        }

        UUID id() {
            return new UUID(upper, lower);
        }
    }

    /** An object that meets the condition. */
    private static final class Active {

        private final Key key;
        private long sinceMillis;
        private State state;
        private double value = Double.NaN;
        private long unknownSinceMillis = -1;
        private long keptSinceMillis = -1;
        private long pass = -1;

        Active(Key key, long sinceMillis, State state) {
            this.key = key;
            this.sinceMillis = sinceMillis;
            this.state = state;
        }
    }

    private static final Comparator<Active> BY_ID = Comparator.comparing(each -> each.key);

    private final AlertCondition condition;
    private final boolean isThreshold;
    private final long lastingMillis;
    private final long keepFiringMillis;
    private final int flood;
    private final AlertLimits limits;
    private final Map<Key, Active> active = new HashMap<>();
    private final Key probe = new Key();
    private final List<Active> due = new ArrayList<>();
    private final List<Active> begun = new ArrayList<>();
    private final List<Active> ended = new ArrayList<>();
    private final List<AlertResolution> endings = new ArrayList<>();
    private long pass;
    private long nowMillis;
    private int seen;
    private int pending;
    private int firing;
    private int grouped;
    private boolean group;
    private int toldMembers;

    /** Whether the group is of a former life; its members are not stored. */
    private boolean restoredGroup;

    /** Begin of the first pass with that group; -1 before. */
    private long restoredAtMillis = -1;

    private long refused;

    /**
     * An evaluator.
     *
     * @param restored alerts of this rule that fire since a former life of the engine
     */
    public RuleEvaluator(AlertRule rule, AlertLimits limits, Collection<Alert> restored) {
        this.condition = rule.condition();
        this.isThreshold =
                condition instanceof AlertCondition.Threshold
                        || condition instanceof AlertCondition.Measured;
        this.lastingMillis = rule.lasting().toMillis();
        this.keepFiringMillis = rule.keepFiring().toMillis();
        this.flood = rule.flood();
        this.limits = limits;
        for (Alert alert : restored) {
            if (alert.subject().kind() == AlertSubject.Kind.GROUP) {
                group = true;
                restoredGroup = true;
                toldMembers = alert.members();
            } else {
                Key key = key(alert.subject().id());
                active.put(key, new Active(key, alert.since().toEpochMilli(), State.FIRING));
                firing++;
            }
        }
    }

    private static Key key(UUID id) {
        Key key = new Key();
        key.set(id.getMostSignificantBits(), id.getLeastSignificantBits());
        return key;
    }

    /** Objects that meet the condition, but not for long enough yet. */
    public int pending() {
        return pending;
    }

    /** Objects that were refused because too many conditions hold. */
    public long refused() {
        return refused;
    }

    /**
     * The wall clock was set: conditions have lasted as long as before, by the new time.
     *
     * @param by how far it was set, negative for back
     */
    public void clockWasSet(Duration by) {
        if (restoredAtMillis >= 0) {
            restoredAtMillis = Math.max(0, restoredAtMillis + by.toMillis());
        }
        for (Active each : active.values()) {
            each.sinceMillis += by.toMillis();
            if (each.unknownSinceMillis >= 0) {
                each.unknownSinceMillis = Math.max(0, each.unknownSinceMillis + by.toMillis());
            }
            if (each.keptSinceMillis >= 0) {
                each.keptSinceMillis = Math.max(0, each.keptSinceMillis + by.toMillis());
            }
        }
    }

    /** Begins a pass. */
    public void begin(Instant now) {
        nowMillis = now.toEpochMilli();
        pass++;
        seen = 0;
        if (restoredGroup && restoredAtMillis < 0) {
            restoredAtMillis = nowMillis;
        }
    }

    /** Whether a group of a former life has not lasted longer than this here. */
    private boolean isRestoredWithin(long millis) {
        return restoredGroup && nowMillis - restoredAtMillis < millis;
    }

    /**
     * Whether the group has no members. Those of a former life have no value before the first
     * report of their host.
     */
    private boolean isGroupOver() {
        return group
                && grouped == 0
                && pending == 0
                && !isRestoredWithin(limits.patience().toMillis());
    }

    /**
     * Takes the newest value of an object.
     *
     * @param upper upper 64 bits of its identity
     * @param lower lower 64 bits of its identity
     * @param value in the metric's unit, of a regression the change in percent; NaN for none
     */
    public void sample(long upper, long lower, double value) {
        boolean known = !Double.isNaN(value);
        boolean holds =
                switch (condition) {
                    case AlertCondition.Threshold threshold ->
                            known && threshold.comparison().holds(value, threshold.limit());
                    case AlertCondition.Measured measured ->
                            known && measured.comparison().holds(value, measured.limit());
                    case AlertCondition.Absence _ -> !known;
                    case AlertCondition.ChangePoint change ->
                            known && Math.abs(value) >= change.leastPercent();
                };
        if (active.isEmpty() && !holds) {
            return;
        }
        probe.set(upper, lower);
        Active found = active.get(probe);
        if (found == null) {
            if (!holds) {
                return;
            }
            if (active.size() >= limits.mostActive()) {
                refused++;
                return;
            }
            Key key = new Key();
            key.set(upper, lower);
            found = new Active(key, nowMillis, State.PENDING);
            active.put(key, found);
            begun.add(found);
            pending++;
        } else if (found.pass == pass) {
            return;
        }
        found.pass = pass;
        seen++;
        if (holds) {
            found.value = value;
            found.unknownSinceMillis = -1;
            found.keptSinceMillis = -1;
            if (found.state == State.PENDING && nowMillis - found.sinceMillis >= lastingMillis) {
                due.add(found);
            }
        } else if (!known && isThreshold) {
            if (found.unknownSinceMillis < 0) {
                found.unknownSinceMillis = nowMillis;
            }
            if (nowMillis - found.unknownSinceMillis >= limits.patience().toMillis()) {
                end(found, AlertResolution.NO_DATA);
            }
        } else {
            end(found, AlertResolution.CONDITION);
        }
    }

    private void end(Active each, AlertResolution why) {
        if (each.state != State.PENDING && keepFiringMillis > 0) {
            if (each.keptSinceMillis < 0) {
                each.keptSinceMillis = nowMillis;
            }
            if (nowMillis - each.keptSinceMillis < keepFiringMillis) {
                return;
            }
        }
        ended.add(each);
        endings.add(why);
    }

    /** Ends a pass. */
    public List<AlertDecision> end() {
        if (seen < active.size()) {
            for (Active each : active.values()) {
                if (each.pass != pass) {
                    end(each, AlertResolution.GONE);
                }
            }
        }
        if (begun.isEmpty() && due.isEmpty() && ended.isEmpty() && !isGroupOver()) {
            return List.of();
        }
        List<AlertDecision> decisions = new ArrayList<>();
        resolve(decisions);
        begun.sort(BY_ID);
        for (Active each : begun) {
            decisions.add(new AlertDecision.Pending(each.key.id(), each.value));
        }
        begun.clear();
        fire(decisions);
        decideGroup(decisions);
        return decisions;
    }

    private void resolve(List<AlertDecision> decisions) {
        List<AlertDecision.Resolved> resolved = new ArrayList<>();
        for (int i = 0; i < ended.size(); i++) {
            Active each = ended.get(i);
            active.remove(each.key);
            switch (each.state) {
                case PENDING -> pending--;
                case GROUPED -> grouped--;
                case FIRING -> {
                    firing--;
                    resolved.add(new AlertDecision.Resolved(each.key.id(), endings.get(i)));
                }
            }
        }
        ended.clear();
        endings.clear();
        resolved.sort(Comparator.comparing(AlertDecision.Resolved::subject));
        decisions.addAll(resolved);
    }

    private void fire(List<AlertDecision> decisions) {
        boolean returns =
                grouped < toldMembers
                        && isRestoredWithin(limits.patience().toMillis() + lastingMillis);
        boolean many = returns || firing + due.size() > flood;
        due.sort(BY_ID);
        for (Active each : due) {
            pending--;
            if (many) {
                each.state = State.GROUPED;
                grouped++;
            } else {
                each.state = State.FIRING;
                firing++;
                decisions.add(
                        new AlertDecision.Fired(
                                each.key.id(), Instant.ofEpochMilli(each.sinceMillis), each.value));
            }
        }
        due.clear();
    }

    private void decideGroup(List<AlertDecision> decisions) {
        if (!group && grouped > 0) {
            group = true;
            toldMembers = grouped;
            decisions.add(new AlertDecision.GroupFired(grouped));
        } else if (group && grouped >= 2 * toldMembers) {
            toldMembers = grouped;
            decisions.add(new AlertDecision.GroupGrew(grouped));
        } else if (isGroupOver()) {
            group = false;
            restoredGroup = false;
            decisions.add(new AlertDecision.GroupResolved());
        }
    }
}
