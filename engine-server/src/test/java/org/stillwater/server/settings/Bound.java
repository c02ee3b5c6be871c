package org.stillwater.server.settings;

import java.util.Map;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.core.NestedExceptionUtils;

/** Binds settings records the way the application does. */
final class Bound {

    private Bound() {}

    static <T> T bind(Class<T> type, Map<String, ?> properties) {
        return new Binder(new MapConfigurationPropertySource(properties))
                .bindOrCreate(type.getAnnotation(ConfigurationProperties.class).value(), type);
    }

    /** The operator's message when these properties are refused. */
    static String refusal(Class<?> type, String name, String value) {
        return refusal(type, Map.of(name, value));
    }

    static String refusal(Class<?> type, Map<String, ?> properties) {
        try {
            return "accepted: " + bind(type, properties);
        } catch (BindException e) {
            return String.valueOf(NestedExceptionUtils.getMostSpecificCause(e).getMessage());
        }
    }
}
