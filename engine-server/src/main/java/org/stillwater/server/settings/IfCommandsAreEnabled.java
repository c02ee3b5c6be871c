package org.stillwater.server.settings;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;

/** Present only if the engine acts on its hosts ({@link CommandsSettings#enabled}). */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ConditionalOnProperty(name = "stillwater.commands.enabled", matchIfMissing = true)
public @interface IfCommandsAreEnabled {}
