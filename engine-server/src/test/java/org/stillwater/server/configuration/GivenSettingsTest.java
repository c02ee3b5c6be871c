package org.stillwater.server.configuration;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

class GivenSettingsTest {

    /** Else every reload would tell of a new process. */
    @Test
    void whatSpringBootAddsAboutTheProcessIsNoSetting() throws Exception {
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
}
