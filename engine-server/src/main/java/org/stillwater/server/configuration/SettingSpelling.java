package org.stillwater.server.configuration;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.PlaceholdersResolver;
import org.springframework.boot.context.properties.bind.PropertySourcesPlaceholdersResolver;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;
import org.springframework.util.ClassUtils;

/**
 * Refuses other spellings of numbers and flags in the engine's own settings. Spring's converters
 * take {@code 0x10} and {@code #10} for 16, {@code 1 0} for 10, {@code 80d} for 80 and {@code no}
 * for false, while its conditions take every text but {@code false} for true. Values that YAML has
 * read as numbers or flags are no texts any more. Stateless.
 */
@Component
final class SettingSpelling implements ConfigurationPropertiesBindHandlerAdvisor {

    private static final ConfigurationPropertyName OWN = ConfigurationPropertyName.of("stillwater");

    private static final Pattern WHOLE = Pattern.compile("[+-]?[0-9]+");

    private static final Pattern DECIMAL =
            Pattern.compile("[+-]?(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)(?:[eE][+-]?[0-9]+)?");

    private final PlaceholdersResolver placeholders;

    SettingSpelling(Environment environment) {
        this.placeholders = new PropertySourcesPlaceholdersResolver(environment);
    }

    @Override
    public BindHandler apply(BindHandler next) {
        return new AbstractBindHandler(next) {
            @Override
            public @Nullable Object onSuccess(
                    ConfigurationPropertyName name,
                    Bindable<?> target,
                    BindContext context,
                    Object result) {
                ConfigurationProperty given = context.getConfigurationProperty();
                if (OWN.isAncestorOf(name)
                        && given != null
                        && given.getName().equals(name)
                        && given.getValue() instanceof CharSequence text) {
                    check(
                            name,
                            target.getType().toClass(),
                            String.valueOf(placeholders.resolvePlaceholders(text.toString())));
                }
                return super.onSuccess(name, target, context, result);
            }
        };
    }

    private static void check(ConfigurationPropertyName name, Class<?> type, String text) {
        String form = form(ClassUtils.resolvePrimitiveIfNecessary(type), text.strip());
        if (form != null) {
            throw new IllegalArgumentException(
                    "%s must be %s, not \"%s\"".formatted(name, form, text));
        }
    }

    /** The form that a text lacks; null if it has the form of its type. */
    private static @Nullable String form(Class<?> type, String text) {
        if (type == Boolean.class) {
            return text.equalsIgnoreCase("true") || text.equalsIgnoreCase("false")
                    ? null
                    : "true or false";
        }
        if (type == Integer.class || type == Long.class) {
            return WHOLE.matcher(text).matches() ? null : "a whole number in decimal digits";
        }
        if (type == Double.class) {
            return DECIMAL.matcher(text).matches() ? null : "a decimal number";
        }
        return null;
    }
}
