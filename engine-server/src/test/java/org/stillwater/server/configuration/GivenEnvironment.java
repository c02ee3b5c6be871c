package org.stillwater.server.configuration;

import java.util.Map;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** An environment whose variables are given, and not those of the test's JVM. */
final class GivenEnvironment extends StandardEnvironment {

    private static final ThreadLocal<Map<String, Object>> GIVEN = new ThreadLocal<>();

    static GivenEnvironment of(Map<String, Object> variables) {
        GIVEN.set(variables);
        try {
            return new GivenEnvironment();
        } finally {
            GIVEN.remove();
        }
    }

    @Override
    protected void customizePropertySources(MutablePropertySources sources) {
        sources.addLast(
                new SystemEnvironmentPropertySource(
                        SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, GIVEN.get()));
    }
}
