package org.stillwater.server.meter;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.function.ToDoubleFunction;
import org.springframework.stereotype.Component;
import org.stillwater.dal.Database;
import org.stillwater.dal.SqlStage;
import org.stillwater.dal.StatementCounts;

/** Statements sent to the database, by stage, and rows that cannot be read. */
@Component
class SqlMeters implements MeterBinder {

    private final StatementCounts counts;
    private final Database database;

    SqlMeters(Database database) {
        this.database = database;
        this.counts = database.statements();
    }

    @Override
    public void bindTo(MeterRegistry meters) {
        Gauge.builder("stillwater.vms.unreadable", database, each -> each.vms().unreadable().size())
                .description("VMs with a state in the database that this engine cannot read")
                .register(meters);
        Gauge.builder("stillwater.rows.unreadable", database, each -> each.unreadableRows().size())
                .description("Rows of other tables that this engine cannot read, or not in full")
                .register(meters);
        for (SqlStage stage : SqlStage.values()) {
            counter(
                    meters,
                    stage,
                    "stillwater.sql.statements",
                    "Statements sent to the database",
                    counted -> counted.statements(stage));
            counter(
                    meters,
                    stage,
                    "stillwater.sql.commits",
                    "Transactions committed",
                    counted -> counted.commits(stage));
            counter(
                    meters,
                    stage,
                    "stillwater.sql.rows",
                    "Rows that statements changed",
                    counted -> counted.rows(stage));
        }
    }

    private void counter(
            MeterRegistry meters,
            SqlStage stage,
            String name,
            String description,
            ToDoubleFunction<StatementCounts> value) {
        FunctionCounter.builder(name, counts, value)
                .tag("stage", stage.tag())
                .description(description)
                .register(meters);
    }
}
