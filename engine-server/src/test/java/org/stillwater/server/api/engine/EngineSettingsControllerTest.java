package org.stillwater.server.api.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

class EngineSettingsControllerTest {

    @Test
    void valuesOfSecretsAreLeftOut() {
        Map<String, Object> given = new HashMap<>();
        given.put("stillwater.alerts.webhook", "https://hooks.example/services/hush-path");
        given.put("stillwater.alerts.mail.password", "hush-word");
        given.put("stillwater.otlp.headers.authorization", "Bearer hush-token");
        given.put("stillwater.otlp-traces.headers.x-key", "hush-key");
        given.put("stillwater.otlp.url", "https://user:hush@collector.example/v1/metrics");
        StandardEnvironment environment = new StandardEnvironment();
        environment.getPropertySources().addFirst(new MapPropertySource("file", given));
        ConfigurationPropertySources.attach(environment);

        Map<String, String> shown = new HashMap<>();
        new EngineSettingsController(environment)
                .all()
                .items()
                .forEach(each -> shown.put(each.name(), String.valueOf(each.value())));

        assertThat(shown.values()).noneMatch(value -> value.contains("hush"));
        assertThat(shown)
                .containsEntry("stillwater.alerts.webhook", "•••")
                .containsEntry("stillwater.otlp.headers", "•••")
                .containsEntry("stillwater.otlp.url", "https://•••@collector.example/v1/metrics");
    }

    @Test
    void aSecretThatIsNotGivenIsNotShownAsHidden() {
        StandardEnvironment environment = new StandardEnvironment();
        environment
                .getPropertySources()
                .addFirst(new MapPropertySource("file", Map.of("stillwater.alerts.webhook", "")));
        ConfigurationPropertySources.attach(environment);
        assertThat(new EngineSettingsController(environment).all().items())
                .filteredOn(each -> each.name().equals("stillwater.alerts.webhook"))
                .singleElement()
                .satisfies(each -> assertThat(each.value()).isEmpty());
    }
}
