package org.stillwater.server.api.history;

import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.stillwater.core.audit.AuditEntry;
import org.stillwater.core.history.HistoryMetric.Subject;
import org.stillwater.monitoring.history.HistoryAnswer;
import org.stillwater.server.api.web.JsonForm;
import tools.jackson.databind.JacksonModule;
import tools.jackson.databind.module.SimpleModule;

/** The answers of the audit log and of histories and how Jackson writes them. */
@Configuration(proxyBeanMethods = false)
class HistoryJsonModule {

    /** Some of the audit log, newest first; {@code next} is the cursor of older ones, or null. */
    record Events(List<AuditEntry> items, @Nullable String next) {}

    /** History of one VM or host. */
    record History(Subject subject, UUID id, HistoryAnswer answer) {}

    @Bean
    JacksonModule historyJson() {
        return new SimpleModule("stillwater-history")
                .addSerializer(AuditEntry.class, JsonForm.serializer(AuditJson::write))
                .addSerializer(History.class, JsonForm.serializer(HistoryJson::write));
    }
}
