package org.stillwater.server.configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.env.MapPropertySource;
import org.stillwater.server.settings.BeliefSettings;
import org.stillwater.server.settings.SchedulingSettings;
import org.stillwater.server.settings.WriterSettings;

class SettingSpellingTest {

    /** A start that binds some records as Spring Boot does. */
    @Configuration(proxyBeanMethods = false)
    @EnableConfigurationProperties({
        BeliefSettings.class,
        SchedulingSettings.class,
        WriterSettings.class
    })
    static class Settings {}

    private static AnnotationConfigApplicationContext started(String name, String value) {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        context.getEnvironment()
                .getPropertySources()
                .addFirst(new MapPropertySource("given", Map.of(name, value, "ten", "0xa")));
        context.register(SettingSpelling.class, Settings.class);
        context.refresh();
        return context;
    }

    @ParameterizedTest
    @CsvSource({
        "stillwater.writer.batch, 0x10, a whole number in decimal digits",
        "stillwater.writer.batch, 1 0, a whole number in decimal digits",
        "stillwater.writer.batch, ${ten}, a whole number in decimal digits",
        "stillwater.beliefs.enabled, yes, true or false",
        "stillwater.beliefs.enabled, 0, true or false",
        "stillwater.commands.scheduling.cpu-overcommit, 80d, a decimal number"
    })
    void anotherSpellingRefusesTheStartByName(String name, String value, String form) {
        assertThatThrownBy(() -> started(name, value).close())
                .satisfies(e ->
                        assertThat(NestedExceptionUtils.getMostSpecificCause(e))
                                .hasMessageStartingWith(name + " must be " + form + ", not "));
    }

    @ParameterizedTest
    @CsvSource({
        "stillwater.writer.batch, 16",
        "stillwater.beliefs.enabled, TRUE",
        "stillwater.commands.scheduling.cpu-overcommit, 1.5"
    })
    void decimalNumbersAndFlagsAreTaken(String name, String value) {
        try (AnnotationConfigApplicationContext context = started(name, value)) {
            assertThat(context.getBean(WriterSettings.class).batch()).isBetween(16, 2_000);
        }
    }
}
