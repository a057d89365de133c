package io.pocketintent.sample

import android.app.Activity
import android.os.Bundle
import android.text.Editable
import android.text.InputType
import android.text.TextWatcher
import android.view.View
import android.widget.Button
import android.widget.EditText
import android.widget.LinearLayout
import android.widget.ScrollView
import android.widget.TextView
import io.pocketintent.Match
import io.pocketintent.ModelFileException
import io.pocketintent.PocketIntentException
import io.pocketintent.Recognizer
import io.pocketintent.open
import java.io.File
import java.util.Locale
import java.util.concurrent.Executors

/** A text field, and the match as one types; texts teach the bot intents, which are kept. */
class MainActivity : Activity() {
    private lateinit var text: EditText
    private lateinit var answer: TextView
    private lateinit var name: EditText
    private lateinit var intents: TextView

    /** Everything that takes longer than a frame happens here, one after another. */
    private val background = Executors.newSingleThreadExecutor()

    /** Used in [background] alone. */
    private var recognizer: Recognizer? = null

    private val kept
        get() = File(filesDir, "bot.safetensors")

    override fun onCreate(state: Bundle?) {
        super.onCreate(state)
        setContentView(views())
        inBackground {
            val opened = open()
            recognizer = opened
            showIntents(opened)
        }
    }

    override fun onDestroy() {
        background.execute { recognizer?.close() }
        background.shutdown()
        super.onDestroy()
    }

    /** The bot that was kept, or the one of the app. */
    private fun open(): Recognizer {
        if (kept.exists()) {
            try {
                return Recognizer.open(kept)
            } catch (_: ModelFileException) {
                kept.delete() // of a version that this one cannot read
            }
        }
        return Recognizer.open(assets, "bot.safetensors")
    }

    private fun match(asked: String) = inBackground {
        val match = recognizer?.match(asked) ?: return@inBackground
        show(answer, describe(match))
    }

    private fun describe(match: Match): String {
        val intent = match.intent ?: "no intent: ${match.reason?.name?.lowercase(Locale.ROOT)}"
        val nearest = match.nearest?.let { line(it, match.score) }.orEmpty()
        val runnerUp = match.runnerUp?.let { line(it.intent, it.score) }.orEmpty()
        return "$intent\n\n$nearest$runnerUp\n${match.template.orEmpty()}"
    }

    private fun line(name: String, score: Double) =
        String.format(Locale.ROOT, "%.2f  %s\n", score, name)

    /** The text becomes a template of the intent, and the bot is kept. */
    private fun teach() {
        val (intent, template) = name.text.toString() to text.text.toString()
        edit { it.addIntent(intent, listOf(template)) }
    }

    private fun forget() {
        val intent = name.text.toString()
        edit { it.removeIntent(intent) }
    }

    private fun edit(change: (Recognizer) -> Unit) {
        val asked = text.text.toString()
        inBackground {
            val recognizer = recognizer ?: return@inBackground
            change(recognizer)
            recognizer.save(kept)
            showIntents(recognizer)
            show(answer, describe(recognizer.match(asked)))
        }
    }

    private fun showIntents(recognizer: Recognizer) =
        show(intents, recognizer.intents.joinToString(", "))

    private fun show(view: TextView, shown: String) = runOnUiThread { view.text = shown }

    private fun inBackground(work: () -> Unit) =
        background.execute {
            try {
                work()
            } catch (error: PocketIntentException) {
                show(answer, error.message.orEmpty())
            }
        }

    private fun views(): View {
        text = field("Say something")
        text.addTextChangedListener(
            object : TextWatcher {
                override fun afterTextChanged(changed: Editable) = match(changed.toString())

                override fun beforeTextChanged(s: CharSequence, start: Int, count: Int, after: Int) = Unit

                override fun onTextChanged(s: CharSequence, start: Int, before: Int, count: Int) = Unit
            }
        )
        answer = TextView(this)
        name = field("Name of an intent")
        intents = TextView(this)
        val column = LinearLayout(this)
        column.orientation = LinearLayout.VERTICAL
        val padding = (16 * resources.displayMetrics.density).toInt()
        column.setPadding(padding, padding, padding, padding)
        val rows = listOf(text, answer, name, button("Teach", ::teach), button("Forget", ::forget), intents)
        rows.forEach(column::addView)
        val page = ScrollView(this)
        page.fitsSystemWindows = true
        page.addView(column)
        return page
    }

    private fun field(hint: String): EditText {
        val field = EditText(this)
        field.hint = hint
        field.inputType = InputType.TYPE_CLASS_TEXT or InputType.TYPE_TEXT_FLAG_NO_SUGGESTIONS
        return field
    }

    private fun button(label: String, press: () -> Unit): Button {
        val button = Button(this)
        button.text = label
        button.setOnClickListener { press() }
        return button
    }
}
