package org.stillwater.server.api.web;

import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.convert.converter.Converter;
import org.springframework.format.FormatterRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * Reads numbers and flags of queries in one spelling. Spring's own converters take {@code 0x10} and
 * {@code #10} for 16, {@code 1 0} for 10, and {@code on} for true. Stateless.
 */
@Configuration(proxyBeanMethods = false)
class QueryNumbers implements WebMvcConfigurer {

    private static final Pattern WHOLE = Pattern.compile("[+-]?[0-9]{1,10}");

    @Override
    public void addFormatters(FormatterRegistry registry) {
        registry.addConverter(
                new Converter<String, @Nullable Integer>() {
                    @Override
                    public @Nullable Integer convert(String text) {
                        return whole(text);
                    }
                });
        registry.addConverter(
                new Converter<String, @Nullable Boolean>() {
                    @Override
                    public @Nullable Boolean convert(String text) {
                        return flag(text);
                    }
                });
    }

    /** Null for a blank text. */
    static @Nullable Integer whole(String text) {
        String stripped = text.strip();
        if (stripped.isEmpty()) {
            return null;
        }
        if (!WHOLE.matcher(stripped).matches()) {
            throw new IllegalArgumentException("no whole number");
        }
        return Integer.valueOf(stripped);
    }

    /** Null for a blank text. */
    static @Nullable Boolean flag(String text) {
        return switch (text.strip().toLowerCase(Locale.ROOT)) {
            case "" -> null;
            case "true" -> Boolean.TRUE;
            case "false" -> Boolean.FALSE;
            default -> throw new IllegalArgumentException("neither true nor false");
        };
    }
}
