package org.stillwater.server.meter;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;
import org.stillwater.dal.Database;
import org.stillwater.dal.SqlStage;
import org.stillwater.dal.StatementCounts;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.worker.SupervisedWorker;
import org.stillwater.monitoring.worker.Workers;
import org.stillwater.server.settings.CycleSettings;

/**
 * Watches the promise of the engine: looks once per cycle interval at how many statements were sent
 * and whether anything changed. An interval is stable when nothing changed in it or in the one
 * before: late changes of the latter may still have been on their way to the database. Health
 * checks are not counted, for users request them, and neither are dumps of statistics, history and
 * regressions, which have intervals of their own and are no part of a cycle.
 *
 * <p>Thread-safe; one virtual thread looks.
 */
@Component
public class StableCycles implements SmartLifecycle {

    private final FleetReader fleet;
    private final StatementCounts counts;
    private final Duration interval;
    private final Workers workers;
    private @Nullable SupervisedWorker worker;
    private volatile Seen seen = new Seen(0, 0, 0, false, null, 0, 0);

    /**
     * Observed values.
     *
     * @param revision revision at the last look
     * @param statements statements at the last look
     * @param intervals looks so far
     * @param quiet whether nothing changed in the last interval
     * @param lastSql statements of the last interval, null before its end
     * @param stable stable intervals so far
     * @param stableSql statements sent in stable intervals; the promise is 0
     */
    private record Seen(
            long revision,
            long statements,
            long intervals,
            boolean quiet,
            @Nullable Long lastSql,
            long stable,
            long stableSql) {

        Seen next(long revisionNow, long statementsNow) {
            boolean quietNow = intervals > 0 && revisionNow == revision;
            long sql = statementsNow - statements;
            boolean stableNow = quietNow && quiet;
            return new Seen(
                    revisionNow,
                    statementsNow,
                    intervals + 1,
                    quietNow,
                    intervals == 0 ? null : (Long) sql,
                    stable + (stableNow ? 1 : 0),
                    stableSql + (stableNow ? sql : 0));
        }
    }

    StableCycles(
            FleetReader fleet,
            Database database,
            CycleSettings cycle,
            Workers workers,
            MeterRegistry meters) {
        this.workers = workers;
        this.fleet = fleet;
        this.counts = database.statements();
        this.interval = cycle.interval();
        Gauge.builder("stillwater.interval.sql", this, StableCycles::lastSqlOrNaN)
                .description(
                        "Statements of the last cycle interval, health checks, dumps and history"
                                + " left out")
                .register(meters);
        FunctionCounter.builder("stillwater.interval.stable", this, it -> it.seen.stable())
                .description("Cycle intervals without changes")
                .register(meters);
        FunctionCounter.builder("stillwater.interval.stable.sql", this, it -> it.seen.stableSql())
                .description("Statements sent in cycle intervals without changes")
                .register(meters);
    }

    /** Statements of the last interval, null before the first has passed. */
    public @Nullable Long lastSql() {
        return seen.lastSql();
    }

    /** How many intervals were stable. */
    public long stable() {
        return seen.stable();
    }

    private double lastSqlOrNaN() {
        Long sql = lastSql();
        return sql == null ? Double.NaN : sql;
    }

    /** Ends one interval and begins the next. */
    void look() {
        seen =
                seen.next(
                        fleet.revision(),
                        counts.statements()
                                - counts.statements(SqlStage.HEALTH)
                                - counts.statements(SqlStage.DWH)
                                - counts.statements(SqlStage.HISTORY)
                                - counts.statements(SqlStage.REGRESSIONS));
    }

    @Override
    public synchronized void start() {
        look();
        worker = workers.periodic("stable-cycles", interval, this::look);
        worker.start();
    }

    @Override
    public synchronized void stop() {
        if (worker != null) {
            boolean _ = worker.stop(Duration.ZERO);
            worker = null;
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return worker != null;
    }
}
