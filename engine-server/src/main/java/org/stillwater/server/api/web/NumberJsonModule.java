package org.stillwater.server.api.web;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.JacksonModule;
import tools.jackson.databind.module.SimpleModule;

/** Writes numbers that are not finite as null: JSON has no form for them. */
@Configuration(proxyBeanMethods = false)
class NumberJsonModule {

    @Bean
    JacksonModule numberJson() {
        return new SimpleModule("stillwater-number")
                .addSerializer(Double.class, JsonForm.serializer(NumberJsonModule::write));
    }

    /** Not-a-number stands for "not known", which JSON calls null. */
    private static void write(JsonGenerator json, Double value) {
        if (value.isNaN() || value.isInfinite()) {
            json.writeNull();
        } else {
            json.writeNumber(value);
        }
    }
}
