// For this folder opened alone: the library for Android, the one for desktop JVMs, and the sample.
// An app includes the folder itself, with the versions of its own plugins: docs/android.md.
pluginManagement {
    repositories {
        google()
        mavenCentral()
        gradlePluginPortal()
    }
    plugins {
        id("com.android.library") version "9.0.0"
        id("com.android.application") version "9.0.0"
        id("org.jetbrains.kotlin.jvm") version "2.4.20"
    }
}

dependencyResolutionManagement {
    repositories {
        google()
        mavenCentral()
    }
}

rootProject.name = "pocketintent"

include(":desktop", ":sample")
