package org.stillwater.server.configuration;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

class GivenSettingsTest {

    /** Else every reload would report a new process. */
    @Test
    void propertiesOfSpringBootAreNoSettings() throws Exception {
        Field name =
                Class.forName("org.springframework.boot.ApplicationInfoPropertySource")
                        .getDeclaredField("NAME");
        name.setAccessible(true);
        StandardEnvironment environment = new StandardEnvironment();
        environment
                .getPropertySources()
                .addFirst(
                        new MapPropertySource(
                                (String) name.get(null), Map.of("spring.application.pid", 7)));
        environment
                .getPropertySources()
                .addFirst(new MapPropertySource("file", Map.of("stillwater.cycle.interval", "9s")));
        assertThat(GivenSettings.written(environment))
                .containsOnlyKeys("stillwater.cycle.interval");
    }

    @Test
    void aHeaderFromTheEnvironmentIsNotShown() {
        StandardEnvironment environment = new StandardEnvironment();
        environment
                .getPropertySources()
                .addFirst(
                        new SystemEnvironmentPropertySource(
                                "variables",
                                Map.of("STILLWATER_OTLP_HEADERS_AUTHORIZATION", "Bearer hush")));
        SecretScrubber scrubber = SecretScrubber.of(environment);
        assertThat(GivenSettings.text(environment, scrubber))
                .contains("STILLWATER_OTLP_HEADERS_AUTHORIZATION = " + SecretScrubber.MASK)
                .doesNotContain("hush");
        assertThat(scrubber.scrub("sent with Bearer hush")).doesNotContain("hush");
    }
}
