package org.stillwater.server.api.operation;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.stillwater.core.operation.Operation;
import org.stillwater.server.api.web.JsonForm;
import tools.jackson.databind.JacksonModule;
import tools.jackson.databind.module.SimpleModule;

/** The answers of operations and of open work and how Jackson writes them. */
@Configuration(proxyBeanMethods = false)
public class OperationJsonModule {

    /** An operation with names, null where nothing of that identity is known. */
    public record OperationView(
            Operation operation,
            @Nullable String vmName,
            @Nullable String hostName,
            @Nullable String targetName) {}

    /** One page of operations, the newest first. */
    record Operations(List<OperationView> items, @Nullable String next) {}

    /**
     * One open work with names, null when the VM or host is not known or there is none.
     *
     * @param entry the open work
     * @param vmName name of the VM it is about
     * @param hostName name of the host it is about or follows from
     */
    record Work(WorkEntry entry, @Nullable String vmName, @Nullable String hostName) {}

    /** One page of open work; {@code next} is the cursor of the following one, null at the end. */
    record Works(List<Work> items, int total, @Nullable String next) {}

    @Bean
    JacksonModule operationJson() {
        return new SimpleModule("stillwater-operation")
                .addSerializer(OperationView.class, JsonForm.serializer(OperationJson::write))
                .addSerializer(Work.class, JsonForm.serializer(WorkJson::write));
    }
}
